// SPDX-License-Identifier: Apache-2.0
#include "gen/config/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "gen/config/nearest.h"
#include "gen/config/numbers.h"
#include "gen/config/reader.h"
#include "gen/config/table.h"
#include "ir/error.h"

namespace kumiki::gen::config {
namespace {

// Of a long list with everything wrong, a few entries tell the story.
constexpr std::size_t entries_reported = 3;

template <class T>
std::string span(std::string_view what, T low, T high) {
  const bool no_low = low == std::numeric_limits<T>::lowest();
  const bool no_high = high == std::numeric_limits<T>::max();
  if (no_low && no_high) return std::string(what);
  if (no_high) return fmt::format("{} of at least {}", what, low);
  if (no_low) return fmt::format("{} of at most {}", what, high);
  return fmt::format("{} from {} to {}", what, low, high);
}

std::string list_noun(const Kind& kind) {
  if (kind.shortest == kind.longest) return fmt::format("a list of {}", kind.longest);
  if (kind.shortest == 0) return fmt::format("a list of at most {}", kind.longest);
  return fmt::format("a list of {} to {}", kind.shortest, kind.longest);
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::string> words_of(const Kind& kind) {
  std::vector<std::string> words;
  for (const Word& w : kind.words) words.push_back(w.word);
  return words;
}

bool check_integer(Reader& reader, const Kind& kind, Node node) {
  switch (node.form()) {
    case Form::integer: {
      const std::int64_t v = node.integer();
      return (v >= kind.low && v <= kind.high) || reader.report(node, "is out of range", kind);
    }
    case Form::big_integer:
      return reader.report(node, "is out of range", kind);
    case Form::number:
      return reader.report(node, "is written with a fraction or exponent", kind);
    default:
      return reader.report(node, "is not an integer", kind);
  }
}

bool check_number(Reader& reader, const Kind& kind, Node node) {
  const Form form = node.form();
  if (form != Form::integer && form != Form::big_integer && form != Form::number) {
    return reader.report(node, "is not a number", kind);
  }
  const double v = node.number();
  return (v >= kind.lowest && v <= kind.highest) || reader.report(node, "is out of range", kind);
}

bool check_text(Reader& reader, const Kind& kind, Node node) {
  const TextRule& rule = *kind.rule;
  if (node.form() != Form::text) return reader.report(node, "is not a text", kind);
  const std::string& text = node.text();
  if (characters(text) > rule.longest) return reader.report(node, "is too long", kind);
  const auto& words = rule.forbidden;
  if (std::find(words.begin(), words.end(), text) != words.end()) {
    return reader.report(node, "is a reserved word", kind);
  }
  return rule.accepts(text) || reader.report(node, "does not fit", kind);
}

bool check_choice(Reader& reader, const Kind& kind, Node node) {
  if (node.form() != Form::text) return reader.report(node, "is not a text", kind);
  const std::vector<std::string> words = words_of(kind);
  if (std::find(words.begin(), words.end(), node.text()) != words.end()) return true;
  const auto meant = nearest(node.text(), words);
  const std::string hint = meant ? fmt::format("did you mean \"{}\"? ", *meant) : "";
  return reader.report(node, "is not known", fmt::format("{}{} is legal", hint, noun(kind)));
}

bool check_rows(Reader& reader, Node list) {
  bool good = true;
  Node first;
  for (const Node row : list.entries()) {
    if (!first) first = row;
    if (row.size() == first.size()) continue;
    good = reader.report(row, "differs in length from the first row",
                         fmt::format("a list of {} is legal", first.size()));
  }
  return good;
}

// The numbers of a file against what is legal for a list of them.
bool check_numbers(Reader& reader, const Kind& kind, Node node, const Numbers& n,
                   const std::string& file) {
  auto wrong = [&](const std::string& what, const std::string& legal) {
    return reader.report(node, node.pointer(), file, what, legal + " is legal");
  };
  const Kind& element = kind.element.front();
  const bool two = element.form == Kind::Form::list;
  const Kind& leaf = two ? element.element.front() : element;
  if (!two && n.rows != 1 && n.columns != 1)
    return wrong(fmt::format("has {} rows of {}", n.rows, n.columns), "one row, or one column,");
  const std::size_t outer = two ? n.rows : n.rows * n.columns;
  if (outer < kind.shortest || outer > kind.longest)
    return wrong(fmt::format("has {} {}", outer, two ? "rows" : "entries"), list_noun(kind));
  if (two && (n.columns < element.shortest || n.columns > element.longest))
    return wrong(fmt::format("has rows of {}", n.columns), list_noun(element));
  for (std::size_t i = 0; i < n.values.size(); ++i)
    if (n.values[i] < leaf.low || n.values[i] > leaf.high)
      return wrong(fmt::format("has {} in row {}, column {}, which is out of range", n.values[i],
                               i / n.columns, i % n.columns),
                   noun(leaf));
  std::string text = "[";
  for (std::size_t i = 0; i < n.values.size(); ++i) {
    const bool first = i % n.columns == 0;
    text += fmt::format("{}{}{}",
                        i == 0         ? ""
                        : two && first ? "],"
                                       : ",",
                        two && first ? "[" : "", n.values[i]);
  }
  node.stands_for(text + (two && n.rows > 0 ? "]]" : "]"));
  return true;
}

bool check_file(Reader& reader, const Kind& kind, Node node) {
  const std::string legal = R"({"file": "w.npy"}, .csv or .hex, and "bits" for .hex, is legal)";
  for (const Member m : node.members())
    if (m.key.text() != "file" && m.key.text() != "bits")
      return reader.report(m.key, "is not known", legal);
  const Node file = node.member("file"), bits = node.member("bits");
  if (!file) return reader.report(node, "names no file", legal);
  const Kind path{.form = Kind::Form::text, .rule = &file_path()};
  const Kind width{.form = Kind::Form::integer, .low = 1, .high = 65536};
  if (!check(reader, path, file) || (bits && !check(reader, width, bits))) return false;
  const Kind* leaf = &kind.element.front();
  while (!leaf->element.empty()) leaf = &leaf->element.front();
  try {
    const Numbers n = read_numbers(node.folder() / file.text(),
                                   {.single_bits = leaf->low == 0 && leaf->high == 1,
                                    .is_signed = leaf->low < 0,
                                    .bits = bits ? static_cast<unsigned>(bits.integer()) : 0});
    return check_numbers(reader, kind, node, n, in_quotes(file.text()));
  } catch (const FileError& e) {
    return reader.report(file, e.what(), "a file of numbers is legal");
  }
}

bool check_list(Reader& reader, const Kind& kind, Node node) {
  if (kind.from_file && node.form() == Form::object) return check_file(reader, kind, node);
  if (node.form() != Form::list) return reader.report(node, "is not a list", kind);
  if (node.size() < kind.shortest) return reader.report(node, "is too short", kind);
  if (node.size() > kind.longest) return reader.report(node, "is too long", kind);
  const Kind& element = kind.element.front();
  const bool brief = element.form != Kind::Form::object;
  std::size_t bad = 0;
  for (const Node entry : node.entries()) {
    const Reader::Quiet quiet(reader, brief && bad >= entries_reported);
    if (!check(reader, element, entry)) ++bad;
  }
  if (brief && bad > entries_reported) {
    reader.report(node,
                  fmt::format("has {} illegal entries, the first {} follow", bad, entries_reported),
                  element);
  }
  if (bad > 0) return false;
  return !kind.rectangular || check_rows(reader, node);
}

bool check_object(Reader& reader, const Kind& kind, Node node) {
  if (node.form() != Form::object) return reader.report(node, "is not an object", kind);
  return kind.table->check(reader, {.object = node});
}

Json file_schema() {
  return {{"type", "object"},
          {"properties",
           {{"file", schema(file_path())},
            {"bits", {{"type", "integer"}, {"minimum", 1}, {"maximum", 65536}}}}},
          {"required", {"file"}},
          {"additionalProperties", false}};
}

Json list_schema(const Kind& kind) {
  const Json list = {{"type", "array"},
                     {"items", schema(kind.element.front())},
                     {"minItems", kind.shortest},
                     {"maxItems", kind.longest}};
  if (!kind.from_file) return list;
  return {{"anyOf", {list, file_schema()}}};
}

}  // namespace

std::string alternatives(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::string noun(const Kind& kind) {
  switch (kind.form) {
    case Kind::Form::integer:
      if (kind.low == kind.high) return fmt::format("{}", kind.low);
      return span("an integer", kind.low, kind.high);
    case Kind::Form::number:
      return span("a number", kind.lowest, kind.highest);
    case Kind::Form::boolean:
      return "true or false";
    case Kind::Form::text:
      return kind.rule->noun;
    case Kind::Form::choice: {
      std::vector<std::string> words = words_of(kind);
      for (std::string& w : words) w = '"' + w + '"';
      return alternatives(words);
    }
    case Kind::Form::list:
      return fmt::format("{} (each {})", list_noun(kind), noun(kind.element.front()));
    case Kind::Form::one_or_list:
      return fmt::format("{} or {} such", noun(kind.element.front()), list_noun(kind));
    case Kind::Form::object:
      return "an object";
  }
  return "";
}

bool check(Reader& reader, const Kind& kind, Node node) {
  if (node.form() == Form::null) return reader.report(node, "is not a value", kind);
  switch (kind.form) {
    case Kind::Form::integer:
      return check_integer(reader, kind, node);
    case Kind::Form::number:
      return check_number(reader, kind, node);
    case Kind::Form::boolean:
      return node.form() == Form::boolean || reader.report(node, "is not a boolean", kind);
    case Kind::Form::text:
      return check_text(reader, kind, node);
    case Kind::Form::choice:
      return check_choice(reader, kind, node);
    case Kind::Form::list:
      return check_list(reader, kind, node);
    case Kind::Form::one_or_list:
      return node.form() == Form::list || (kind.from_file && node.form() == Form::object)
                 ? check_list(reader, kind, node)
                 : check(reader, kind.element.front(), node);
    case Kind::Form::object:
      return check_object(reader, kind, node);
  }
  return false;
}

Json schema(const TextRule& rule) {
  Json out = {{"type", "string"}, {"maxLength", rule.longest}};
  if (!rule.pattern.empty()) out["pattern"] = rule.pattern;
  if (!rule.forbidden.empty()) out["not"] = {{"enum", rule.forbidden}};
  return out;
}

Json schema(const Kind& kind) {
  switch (kind.form) {
    case Kind::Form::integer:
      return {{"type", "integer"}, {"minimum", kind.low}, {"maximum", kind.high}};
    case Kind::Form::number:
      return {{"type", "number"}, {"minimum", kind.lowest}, {"maximum", kind.highest}};
    case Kind::Form::boolean:
      return {{"type", "boolean"}};
    case Kind::Form::text:
      // Long lists of reserved words are written once, by the schema of the whole file.
      if (!kind.rule->forbidden.empty()) return {{"$ref", "#/$defs/" + kind.rule->name}};
      return schema(*kind.rule);
    case Kind::Form::choice:
      return {{"enum", words_of(kind)}};
    case Kind::Form::list:
      return list_schema(kind);
    case Kind::Form::one_or_list:
      return {{"anyOf", {schema(kind.element.front()), list_schema(kind)}}};
    case Kind::Form::object:
      return kind.table->schema();
  }
  return {};
}

}  // namespace kumiki::gen::config
