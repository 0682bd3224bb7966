// SPDX-License-Identifier: Apache-2.0
// `explain`: explains the code of a message and what to do.
#include <fmt/format.h>

#include <algorithm>

#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/config/nearest.h"
#include "gen/config/writer.h"
#include "gen/flow/explain/all_messages.h"
#include "gen/flow/messages.h"

namespace kumiki::cli {
namespace {

struct ExplainOptions {
  std::vector<std::string> codes;
  bool markdown = false;  // print the page of all codes
  bool json = false;
};

// The message as it is printed.
std::string example_of(const Message& m) { return with_code(std::string(m.example), m); }

using Messages = std::vector<const Message*>;

Messages asked_for(const std::vector<std::string>& codes) {
  const auto known = flow::all_messages();
  if (codes.empty()) return {known.begin(), known.end()};
  Messages all;
  for (const auto& text : codes) {
    // Users may copy the code with its brackets.
    const bool whole = text.starts_with('[') && text.ends_with(']');
    if (const auto* m = flow::find_message(whole ? text.substr(1, text.size() - 2) : text)) {
      all.push_back(m);
      continue;
    }
    std::vector<std::string> legal;
    for (const Message* m : known) legal.emplace_back(m->word());
    throw UsageError(code::unknown_code, fmt::format("unknown code \"{}\"{}", text,
                                                     gen::config::did_you_mean(
                                                         text, legal, "explain lists all codes")));
  }
  return all;
}

void print_json(const Messages& all) {
  gen::config::Writer w;
  w.begin_list();
  for (const Message* m : all)
    w.object([&] {
      w.member("code", m->word());
      w.member("meaning", m->meaning);
      w.member("example", example_of(*m));
      w.member("remedy", m->remedy);
    });
  w.end_list();
  fmt::print("{}\n", w.printed());
}

// Escapes < and * outside backticks.
std::string markdown(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (const char c : text) {
    is_code ^= c == '`';
    if (!is_code && (c == '<' || c == '*')) out += '\\';
    out += c;
  }
  return out;
}

void print_markdown(const Messages& all) {
  fmt::print(
      "# Messages\n\n"
      "Every code that stands in brackets behind a message; `kumiki explain --markdown` prints "
      "this page.\n");
  for (const Message* m : all)
    fmt::print("\n### {}\n\n{}\n\n```text\n{}\n```\n\n{}\n", m->word(), markdown(m->meaning),
               example_of(*m), markdown(m->remedy));
}

void print_list(const Messages& all) {
  std::size_t width = 0;
  for (const Message* m : all) width = std::max(width, m->word().size());
  for (const Message* m : all) fmt::print("{:{}}  {}\n", m->word(), width, m->meaning);
}

// Indents every line by two.
std::string indented(const std::string& text) {
  std::string out = "  ";
  for (const char c : text) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return out;
}

void print(const Messages& all) {
  const char* between = "";
  for (const Message* m : all) {
    fmt::print("{}{}\n{}\n\nExample:\n{}\n\nWhat to do:\n{}\n", between, m->word(),
               indented(std::string(m->meaning)), indented(example_of(*m)),
               indented(std::string(m->remedy)));
    between = "\n";
  }
}

int explain(const ExplainOptions& options, flow::Context&) {
  const auto all = asked_for(options.codes);
  if (options.json)
    print_json(all);
  else if (options.markdown)
    print_markdown(all);
  else if (options.codes.empty())
    print_list(all);
  else
    print(all);
  return ok;
}

Run declare_explain(CLI::App& app, Settings&) {
  const auto o = std::make_shared<ExplainOptions>();
  auto* codes = app.add_option("code", o->codes,
                               "codes, as they stand in brackets behind messages (default: a list "
                               "of all)");
  auto* json = add_json(app, o->json);
  app.add_flag("--markdown", o->markdown, "the page of all codes, docs/messages.md")
      ->excludes(codes)
      ->excludes(json);
  return runs(explain, o);
}

}  // namespace

Command explain_command() {
  return {"explain", "explain the code of a message: what it means, an example, what to do",
          declare_explain};
}

}  // namespace kumiki::cli
