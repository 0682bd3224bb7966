// SPDX-License-Identifier: Apache-2.0
#include "gen/config/document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "gen/config/layers.h"
#include "gen/config/messages.h"
#include "gen/config/reader.h"
#include "gen/config/source.h"
#include "ir/names.h"
#include "ir/part.h"

namespace kumiki::gen::config {
namespace {

// A part of another family has other primitives, so the netlist could not be placed there.
Violations part_of_family(const Target& target) {
  if (!target.part) return {};
  const auto family = ir::family_of_part(*target.part);
  if (!family)
    return {{code::unknown_part, "part", "is not a part of 7series, ultrascale or ultrascale+",
             "give a part such as \"xczu9eg-ffvb1156-2-e\""}};
  if (*family == target.family) return {};
  return {
      {code::part_of_other_family, "part",
       fmt::format("is a part of {}, but the netlist is for {}", ir::family_name(*family),
                   ir::family_name(target.family)),
       fmt::format("set \"family\" to \"{}\", or choose another part", ir::family_name(*family))}};
}

const TableOf<Target>& target_table() {
  using ir::Family;
  static const TableOf<Target> table{
      "target",
      "The target device.",
      {field("family", &Target::family)
           .choices({{"7series", Family::series7, "CARRY4"},
                     {"ultrascale", Family::ultrascale, "CARRY8"},
                     {"ultrascale+", Family::ultrascale_plus, "CARRY8"}})
           .help("device family: it decides the carry primitive"),
       field("column_height", &Target::column_height)
           .range(1, 65536)
           .unit("slices")
           .absent("no column ends")
           .help("length of a DSP column: longer cascades are broken there"),
       field("part", &Target::part)
           .rule(part_name())
           .absent("one of the family's evaluation boards")
           .help(
               "part for the scripts, as the vendor's tools spell it; it has to be of the family")},
      {part_of_family}};
  return table;
}

const TableOf<Simulation>& simulation_table() {
  static const TableOf<Simulation> table{
      "simulation",
      "The lockstep run of netlist and model.",
      {field("seed", &Simulation::seed).help("seed of the random stimulus"),
       field("cycles", &Simulation::cycles)
           .range(1, 1'000'000'000'000)
           .unit("clock cycles")
           .help("length of the run"),
       field("stall", &Simulation::stall)
           .range(0.0, 0.99)
           .help("fraction of the cycles in which a stream pauses"),
       field("resets", &Simulation::resets)
           .range(0, 1000)
           .help("resets in the middle of the run")}};
  return table;
}

// The schema by which editors check the file. Only editors use this key.
FieldOf<Document> schema_for_editors() {
  FieldOf<Document> field;
  field.attribute = {.key = "$schema",
                     .kind = {.form = Kind::Form::text, .rule = &any_text()},
                     .presence = Presence::optional,
                     .help = "for editors: where the schema of this file is",
                     .absent = "the editor's settings say",
                     .load = [](const Kind&, Node, void*) {},
                     .save = [](const Kind&, const void*, Writer&) { return false; }};
  return field;
}

// Our rules do not apply to a newer format, because its keys may have other meanings.
bool newer_format(Reader& reader, Node root) {
  const Node version = root.member("kumiki");
  const bool newer =
      version && version.form() == Form::integer && version.integer() > format_version;
  if (newer) {
    reader.report(version, code::newer_format, "is a newer format than this program knows",
                  fmt::format("must be {}", format_version));
  }
  return newer;
}

// Refuses a name that the netlist would have to change: a word of VHDL, a primitive, an underscore
// at an end.
bool check_name(Reader& reader, Node name) {
  const std::string in_netlist = ir::name_of_top(name.text());
  if (in_netlist == name.text()) return true;
  return reader.report(name, code::unusable_name,
                       "cannot be the name of a module in Verilog, VHDL and on the device",
                       fmt::format("use \"{}\"", in_netlist));
}

// Null when something is wrong.
std::optional<Document> read(const Source& source, Findings& findings, const Registry& registry,
                             const Retarget& retarget, const ir::Context& context) {
  Reader reader(findings);
  const Node root = source.root();
  if (root.form() != Form::object) {
    reader.report(root, code::wrong_type, "is not a configuration", "must be a JSON object");
    return {};
  }
  if (newer_format(reader, root)) return {};
  const Table::Given given{.object = root, .also = {"defaults", "layers"}};
  bool good = document_table().check(reader, given);
  Document document;
  std::optional<Target> target;  // empty if the target is wrong; then no layer is planned
  if (good) {
    document_table().load(given, &document);
    if (retarget) retarget(document.target);
    target = document.target;
    good = check_name(reader, root.member("name"));
  }
  good &= check_defaults(reader, root.member("defaults"), registry);
  good = read_layers(reader, root, registry, {target, context}, good && findings.empty(),
                     document.layers);
  // A duplicate key is an error even if its first value is valid.
  if (!good || !findings.empty()) return {};
  return document;
}

}  // namespace

const Table& document_table() {
  static const TableOf<Document> table{
      "the configuration",
      "What to build: a target, and layers one after the other.",
      {field("kumiki", &Document::kumiki)
           .required()
           .range(format_version, format_version)
           .help("version of this format"),
       field("name", &Document::name).required().rule(identifier()).help("name of the top module"),
       field("description", &Document::description).absent("none").help("remarks for people"),
       field("target", &Document::target).object(target_table()).help("device to build for"),
       field("simulation", &Document::simulation)
           .object(simulation_table())
           .help("lockstep run of netlist and model"),
       schema_for_editors()}};
  return table;
}

Document parse_document(std::string text, const std::string& file, const Registry& registry,
                        const Retarget& retarget, const ir::Context& context) {
  Findings findings;
  const Source source(file, std::move(text), findings);
  std::optional<Document> document;
  if (source.parsed()) document = read(source, findings, registry, retarget, context);
  if (document) return *std::move(document);
  const std::size_t count = findings.count();
  throw ConfigError(file, findings.take(source.text()), count);
}

ConfigError refusal(std::string text, const std::string& file, const std::string& pointer,
                    Code code, const std::string& message) {
  Findings findings;
  const Source source(file, std::move(text), findings);
  // The value itself, or the nearest object around it, because a key may have its default.
  Node at = source.root();
  std::istringstream parts(pointer);
  std::string part;
  for (std::getline(parts, part, '/'); std::getline(parts, part, '/');) {
    Node next;
    if (at.form() == Form::object) next = at.member(part);
    if (at.form() == Form::list) {
      std::size_t place = 0;
      for (const Node entry : at.entries())
        if (std::to_string(place++) == part) next = entry;
    }
    if (!next) break;
    at = next;
  }
  Reader(findings).report(at, pointer, "", code, message, "");
  const std::size_t count = findings.count();
  return {file, findings.take(source.text()), count};
}

Document read_document(const std::filesystem::path& path, const Registry& registry,
                       const ir::Context& context) {
  return parse_document(load_text(path), path.string(), registry, {}, context);
}

Json to_json(const Document& document) {
  Writer writer;
  save_object(document_table(), &document, writer);
  Json out = writer.take();
  Json& layers = out["layers"] = Json::array();
  for (const Layer& layer : document.layers) {
    Writer one;
    one.begin_object();
    one.key("type");
    one.text(layer.type->name);
    one.key("name");
    one.text(layer.name);
    layer.type->table->save(layer.request.get(), one);
    one.end_object();
    layers.push_back(one.take());
  }
  return out;
}

std::string print(const Document& document) { return print(to_json(document)); }

}  // namespace kumiki::gen::config
