// SPDX-License-Identifier: Apache-2.0
// What VS Code's JSON service says about configurations: keys of the chosen type are offered and no others, help is shown,
// what is wrong is marked at its place, what is offered is legal.
//   node service_test.mjs FOLDER_OF_NODE_MODULES KUMIKI ROOT
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [folder, kumiki, root] = process.argv.slice(2).map((p) => path.resolve(p));
const { getLanguageService, TextDocument } = createRequire(folder + '/')('vscode-json-languageservice');
const problems = [];
let compared = 0;
function expect(right, what) {
  ++compared;
  if (!right) problems.push(what);
}
const same = (a, b) => JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());
const run = (...args) => execFileSync(kumiki, args, { encoding: 'utf8', maxBuffer: 1 << 26 });

// A workspace as the page describes it: its setting, the schema where that looks for it.
const page = fs.readFileSync(path.join(root, 'docs/editors.md'), 'utf8');
const setting = JSON.parse(page.match(/```json\n(\{\s*"json\.schemas"[^]*?)```/)[1])['json.schemas'];
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8').match(/"json\.schemas": (\[.*\])/)[1];
expect(JSON.stringify(JSON.parse(readme)) === JSON.stringify(setting), 'README.md and docs/editors.md have other settings');
const workspace = path.join(folder, 'workspace');
fs.rmSync(workspace, { recursive: true, force: true });
fs.mkdirSync(workspace);
fs.writeFileSync(path.join(workspace, 'kumiki.schema.json'), run('schema'));
const uri = (name) => pathToFileURL(path.join(workspace, name)).href;

const markdown = ['markdown', 'plaintext'];
function service(schemas) {
  const made = getLanguageService({
    clientCapabilities: {
      textDocument: { completion: { completionItem: { documentationFormat: markdown } }, hover: { contentFormat: markdown } },
    },
    schemaRequestService: async (at) => fs.readFileSync(fileURLToPath(at), 'utf8'),
    workspaceContext: { resolveRelativePath: (relative, base) => new URL(relative, base).href },
  });
  made.configure({ validate: true, schemas });
  return made;
}
const settled = service(setting.map((s) => ({ fileMatch: s.fileMatch, uri: uri(s.url) })));
const bare = service([]);  // knows a schema only where the file names it

// The text with one | where the cursor is.
function opened(text, name) {
  const at = text.indexOf('|');
  const document = TextDocument.create(uri(name), 'json', 1, at < 0 ? text : text.slice(0, at) + text.slice(at + 1));
  return [document, document.positionAt(Math.max(at, 0))];
}
const parsed = (asked, document) => asked.parseJSONDocument(document);
const layer = (text) => `{"kumiki": 1, "name": "n", "layers": [${text}]}`;
async function offered(text, asked = settled, name = 'a.kumiki.json') {
  const [document, position] = opened(text, name);
  return (await asked.doComplete(document, position, parsed(asked, document))).items;
}
async function hover(text) {
  const [document, position] = opened(text, 'a.kumiki.json');
  const said = await settled.doHover(document, position, parsed(settled, document));
  return said ? said.contents.join('\n') : '';
}
async function marked(text, asked = settled, name = 'a.kumiki.json') {
  const [document] = opened(text, name);
  const found = await asked.doValidation(document, parsed(asked, document));
  return found.map((f) => ({ text: document.getText(f.range), message: f.message }));
}
const labels = (items) => items.map((item) => item.label);
const documentation = (item) => item?.documentation?.value ?? item?.documentation ?? '';
const inserted = (item) => item.textEdit?.newText ?? item.insertText;
// What is in the file when every stop of a snippet is left as it is.
const typed = (snippet) =>
  snippet.replace(/\$\{\d+:((?:\\.|[^}])*)\}/g, '$1').replace(/\$\d+/g, '').replace(/\\([$}\\])/g, '$1');

const types = JSON.parse(run('list', '--json'));

async function keys() {
  expect(types.length >= 19, `${types.length} types`);
  for (const { type, schema } of types) {
    const items = await offered(layer(`{"type": "${type}", |}`));
    expect(same(labels(items), ['name', ...Object.keys(schema.properties)]), `keys of ${type}: ${labels(items)}`);
    for (const item of items) {
      expect(documentation(item).length > 5, `${type}: ${item.label} is offered without help`);
      // Of an own value: what is written by itself is legal. Others ask: $1.
      if (/\$\{1:[^}]*\}$/.test(inserted(item))) {
        const text = layer(`{"type": "${type}", ${typed(inserted(item))}}`);
        const wrong = (await marked(text)).filter((f) => !f.message.startsWith('Missing property'));
        expect(wrong.length === 0, `${text}: ${JSON.stringify(wrong)}`);
      }
    }
  }
  expect(same(labels(await offered(layer('{|}'))), ['type', 'name']), 'a layer without a type has keys of some type');
  const top = ['$schema', 'defaults', 'description', 'kumiki', 'layers', 'name', 'simulation', 'target'];
  expect(same(labels(await offered('{|}')), top), `keys of a file: ${labels(await offered('{|}'))}`);
  expect(labels(await offered('{"target": {|}}')).includes('column_height'), 'keys of a target');
}

async function values() {
  for (const cursor of ['|', '"|"']) {
    const items = await offered(layer(`{"type": ${cursor}}`));
    expect(same(labels(items), types.map((t) => `"${t.type}"`)), `types: ${labels(items)}`);
    for (const { type, help } of types) {
      const said = documentation(items.find((item) => item.label === `"${type}"`));
      expect(said.replaceAll('\\', '').includes(help), `${type}: ${said}`);
    }
  }
  const schemes = await offered(layer('{"type": "dot", "scheme": |}'));
  const scheme = types.find((t) => t.type === 'dot').schema.properties.scheme;
  expect(same(labels(schemes), scheme.enum.map((word) => `"${word}"`)), `schemes: ${labels(schemes)}`);
  expect(documentation(schemes.find((s) => s.label === '"single"')) === 'one product a slice, up to 27 x 18', 'help of single');
  expect(same(labels(await offered(layer('{"type": "dot", "terms": |}'))), ['7', '5', '4']), 'terms of the examples');
}

async function layers() {
  const items = await offered(layer('|'));
  expect(same(labels(items), types.map((t) => t.type)), `snippets: ${labels(items)}`);
  const texts = items.map((item) => typed(inserted(item)));
  for (const text of texts) {
    const wrong = await marked(layer(text));
    expect(wrong.length === 0, `a layer that is offered is marked: ${text}: ${JSON.stringify(wrong)}`);
  }
  // Those that name no file of the user are built as they are.
  const own = texts.filter((text) => !text.includes('.graph"'));
  expect(own.length === types.length - 1, `${own.length} layers name no file`);
  const file = path.join(workspace, 'offered.kumiki.json');
  fs.writeFileSync(file, layer(own.join(',\n')));
  const check = spawnSync(kumiki, ['plan', file], { encoding: 'utf8' });
  expect(check.status === 0, `kumiki plan of what is offered: ${check.stderr}`);
  const [fresh] = await offered('|');
  expect(typed(inserted(fresh)).replace(/\s/g, '') === '{"kumiki":1,"name":"top","layers":[]}', `a new file: ${inserted(fresh)}`);
}

async function marks() {
  const cases = [
    ['{"type": "dot", "terms": 0}', ['0', 'below the minimum of 1']],
    ['{"type": "dot", "terms": "7"}', ['"7"', 'Incorrect type. Expected "integer"']],
    ['{"type": "dot", "terms": 7, "scheme": "singel"}', ['"singel"', 'not accepted']],
    ['{"type": "dot", "terms": 7, "stages": []}', ['"stages"', 'not allowed']],
    ['{"type": "vision", "width": 8, "height": 6, "stages": [], "terms": 7}', ['"terms"', 'not allowed'], ['[]', 'too few items']],
    ['{"type": "dot"}', ['{', 'Missing property "terms"']],
    ['{"type": "dott"}', ['"dott"', 'not accepted']],
    ['{}', ['{', 'Missing property "type"']],
    ['{"type": "dot", "terms": 7, "packed": {"bits": 28}}', ['28', 'above the maximum of 27']],
    ['{"type": "dot", "terms": 7}'],
  ];
  for (const [text, ...wanted] of cases) {
    const found = await marked(layer(text));
    const right = found.length === wanted.length &&
      wanted.every(([at, words]) => found.some((f) => f.text === at && f.message.includes(words)));
    expect(right, `${text}: ${JSON.stringify(found)}`);
  }
  let configurations = 0;
  for (const name of fs.readdirSync(path.join(root, 'examples')).filter((n) => n.endsWith('.json'))) {
    const text = fs.readFileSync(path.join(root, 'examples', name), 'utf8');
    if (!('kumiki' in JSON.parse(text))) continue;
    ++configurations;
    const found = await marked(text.replaceAll('|', ' '));
    expect(found.length === 0, `examples/${name}: ${JSON.stringify(found)}`);
  }
  expect(configurations > 10, `${configurations} configurations in examples`);
}

async function help() {
  const cases = [
    ['{"type": "dot", "te|rms": 7}', 'products in each sum', 'an integer from 1 to 65536; required'],
    ['{"type": "d|ot", "terms": 7}', 'two packed dot products', '"terms": 7'],
    ['{"type": "dot", "terms": 7, "sche|me": "single"}', 'how products share a slice', '- `single`: one product a slice'],
    ['{"type": "dot", "terms": 7, "scheme": "si|ngle"}', '`single`: one product a slice, up to 27 x 18'],
    ['{"type": "dot", "terms": 7, "packed": {"b|its": 8}}', 'width at the port', 'from 1 to 27, in bits; default 8'],
    ['{"type": "popcount", "b|its": 8}', 'an integer from '],
  ];
  for (const [text, ...words] of cases) {
    const said = await hover(layer(text));
    for (const word of words) expect(said.includes(word), `hover in ${text}: ${said}`);
  }
  const files = [['{"la|yers": []}', 'side by side'], ['{"kum|iki": 1}', 'version of this format'], ['{"targ|et": {}}', 'device']];
  for (const [text, word] of files) expect((await hover(text)).includes(word), `hover in ${text}: ${await hover(text)}`);
}

// The other way: the file says where its schema is, and the program takes such a file.
async function named() {
  const file = (text) => `{"$schema": "./kumiki.schema.json", "kumiki": 1, "name": "n", "layers": [${text}]}`;
  const items = await offered(file('{"type": "popcount", |}'), bare, 'plain.json');
  expect(labels(items).includes('bits') && !labels(items).includes('terms'), `with $schema: ${labels(items)}`);
  const found = await marked(file('{"type": "popcount", "bits": 0}'), bare, 'plain.json');
  expect(found.length === 1 && found[0].text === '0', `with $schema: ${JSON.stringify(found)}`);
  expect((await marked(file('{"type": "popcount", "bits": 8}'), bare, 'plain.json')).length === 0, 'a file with $schema is marked');
  // Without either there is nothing: what is seen above is the schema's doing.
  expect((await marked(layer('{"type": "dott"}'), bare, 'plain.json')).length === 0, 'marks without a schema');
  expect((await marked(layer('{"type": "dott"}'), settled, 'other.json')).length === 0, 'the setting is for other names too');
  const plain = path.join(workspace, 'plain.json');
  fs.writeFileSync(plain, file('{"type": "popcount", "bits": 8}'));
  expect(spawnSync(kumiki, ['check', plain]).status === 0, 'kumiki check refuses a file with $schema');
}

for (const part of [keys, values, layers, marks, help, named]) await part();
for (const problem of problems) console.log(problem);
console.log(`${compared} compared, ${problems.length} wrong`);
process.exit(problems.length || compared < 300 ? 1 : 0);
