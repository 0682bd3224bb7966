// SPDX-License-Identifier: Apache-2.0
#include "gen/config/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "gen/config/kind_file.h"
#include "gen/config/messages.h"
#include "gen/config/nearest.h"
#include "gen/config/reader.h"
#include "gen/config/table.h"
#include "ir/error.h"

namespace kumiki::gen::config {
namespace {

// How many entries of a long list are reported when all of them are wrong.
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
      return (v >= kind.low && v <= kind.high) ||
             reader.report(node, code::out_of_range, "is out of range", kind);
    }
    case Form::big_integer:
      return reader.report(node, code::out_of_range, "is out of range", kind);
    case Form::number:
      return reader.report(node, code::not_an_integer, "is written with a fraction or exponent",
                           kind);
    default:
      return reader.report(node, code::not_an_integer, "is not an integer", kind);
  }
}

bool check_number(Reader& reader, const Kind& kind, Node node) {
  const Form form = node.form();
  if (form != Form::integer && form != Form::big_integer && form != Form::number) {
    return reader.report(node, code::wrong_type, "is not a number", kind);
  }
  const double v = node.number();
  return (v >= kind.lowest && v <= kind.highest) ||
         reader.report(node, code::out_of_range, "is out of range", kind);
}

bool check_text(Reader& reader, const Kind& kind, Node node) {
  const TextRule& rule = *kind.rule;
  if (node.form() != Form::text)
    return reader.report(node, code::wrong_type, "is not a text", kind);
  const std::string& text = node.text();
  if (characters(text) > rule.longest)
    return reader.report(node, code::wrong_length, "is too long", kind);
  const auto& words = rule.forbidden;
  if (std::find(words.begin(), words.end(), text) != words.end()) {
    return reader.report(node, code::reserved_word, "is a reserved word", kind);
  }
  return rule.accepts(text) || reader.report(node, code::malformed_text, "does not fit", kind);
}

bool check_choice(Reader& reader, const Kind& kind, Node node) {
  if (node.form() != Form::text)
    return reader.report(node, code::wrong_type, "is not a text", kind);
  const std::vector<std::string> words = words_of(kind);
  if (std::find(words.begin(), words.end(), node.text()) != words.end()) return true;
  return reader.report(node, code::unknown_choice,
                       "is not known" + did_you_mean(node.text(), words), kind);
}

bool check_rows(Reader& reader, Node list) {
  bool good = true;
  Node first;
  for (const Node row : list.entries()) {
    if (!first) first = row;
    if (row.size() == first.size()) continue;
    good = reader.report(row, code::ragged_list, "differs in length from the first row",
                         fmt::format("must be a list of {}", first.size()));
  }
  return good;
}

bool check_list(Reader& reader, const Kind& kind, Node node) {
  if (kind.from_file && node.form() == Form::object) return check_file(reader, kind, node);
  if (node.form() != Form::list)
    return reader.report(node, code::wrong_type, "is not a list", kind);
  if (node.size() < kind.shortest)
    return reader.report(node, code::wrong_length, "is too short", kind);
  if (node.size() > kind.longest)
    return reader.report(node, code::wrong_length, "is too long", kind);
  const Kind& element = kind.element.front();
  const bool brief = element.form != Kind::Form::object;
  std::size_t bad = 0;
  for (const Node entry : node.entries()) {
    const Reader::Quiet quiet(reader, brief && bad >= entries_reported);
    if (!check(reader, element, entry)) ++bad;
  }
  if (brief && bad > entries_reported) {
    reader.report(
        node, code::illegal_entries,
        fmt::format("has {} wrong entries, of which the first {} follow", bad, entries_reported),
        "each must be " + noun(element));
  }
  if (bad > 0) return false;
  return !kind.rectangular || check_rows(reader, node);
}

bool check_object(Reader& reader, const Kind& kind, Node node) {
  if (node.form() != Form::object)
    return reader.report(node, code::wrong_type, "is not an object", kind);
  return kind.table->check(reader, {.object = node});
}

// Nested lists: at each depth all entries are lists of the same length, or all are numbers.
bool check_nested(Reader& reader, const Kind& kind, Node list) {
  const Kind& number = kind.element.front();
  const bool deeper = list.size() > 0 && (*list.entries().begin()).form() == Form::list;
  if (!deeper) {
    const Kind plain{
        .form = Kind::Form::list, .shortest = 1, .longest = kind.longest, .element = {number}};
    return check(reader, plain, list);
  }
  for (const Node row : list.entries())
    if (row.form() != Form::list)
      return reader.report(row, code::ragged_list, "stands among lists",
                           "must be a list as long as the others");
  bool good = check_rows(reader, list);
  for (const Node row : list.entries()) good = good && check_nested(reader, kind, row);
  return good;
}

// Lists of equal length may still differ further down, so all are compared with the first one.
bool check_shape(Reader& reader, Node list, const std::vector<std::size_t>& shape,
                 std::size_t depth) {
  const bool is_list = list.form() == Form::list;
  if (depth == shape.size())
    return !is_list ||
           reader.report(list, code::ragged_list, "is deeper than the first", "must be a number");
  if (!is_list || list.size() != shape[depth])
    return reader.report(list, code::ragged_list, "differs from the first of its depth",
                         fmt::format("must be a list of {}", shape[depth]));
  for (const Node row : list.entries())
    if (!check_shape(reader, row, shape, depth + 1)) return false;
  return true;
}

bool check_weights(Reader& reader, const Kind& kind, Node node) {
  if (node.form() == Form::object) return check_file(reader, kind, node);
  if (node.form() != Form::list)
    return reader.report(node, code::wrong_type, "is not a list", kind);
  if (!check_nested(reader, kind, node)) return false;
  std::vector<std::size_t> shape;
  for (Node n = node; n.form() == Form::list; n = *n.entries().begin()) shape.push_back(n.size());
  return check_shape(reader, node, shape, 0);
}

Json weights_schema(const Kind& kind) {
  const Json inner = {{"anyOf", {schema(kind.element.front()), {{"type", "array"}}}}};
  const Json list = {{"type", "array"}, {"items", inner}, {"minItems", 1}};
  return {{"anyOf", {list, file_schema()}}};
}

Json integer_schema(const Kind& kind) {
  Json out = {{"type", "integer"}, {"minimum", kind.low}, {"maximum", kind.high}};
  if (kind.low == kind.high) out["default"] = kind.low;  // what an editor writes
  return out;
}

Json choice_schema(const Kind& kind) {
  std::vector<std::string> helps;
  for (const Word& w : kind.words) helps.push_back(w.help);
  Json out = {{"enum", words_of(kind)}};
  if (std::ranges::any_of(helps, [](const auto& help) { return !help.empty(); }))
    out["enumDescriptions"] = std::move(helps);
  return out;
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
    case Kind::Form::weights:
      return fmt::format("a list or lists within lists (each {}), or {{\"file\": NAME}}",
                         noun(kind.element.front()));
    case Kind::Form::object:
      return "an object";
  }
  return "";
}

bool check(Reader& reader, const Kind& kind, Node node) {
  if (node.form() == Form::null)
    return reader.report(node, code::null_value, "is not a value", kind);
  switch (kind.form) {
    case Kind::Form::integer:
      return check_integer(reader, kind, node);
    case Kind::Form::number:
      return check_number(reader, kind, node);
    case Kind::Form::boolean:
      return node.form() == Form::boolean ||
             reader.report(node, code::wrong_type, "is not a boolean", kind);
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
    case Kind::Form::weights:
      return check_weights(reader, kind, node);
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
      return integer_schema(kind);
    case Kind::Form::number:
      return {{"type", "number"}, {"minimum", kind.lowest}, {"maximum", kind.highest}};
    case Kind::Form::boolean:
      return {{"type", "boolean"}};
    case Kind::Form::text:
      // Long lists of reserved words are written once, by the schema of the whole file.
      if (!kind.rule->forbidden.empty()) return {{"$ref", "#/$defs/" + kind.rule->name}};
      return schema(*kind.rule);
    case Kind::Form::choice:
      return choice_schema(kind);
    case Kind::Form::list:
      return list_schema(kind);
    case Kind::Form::one_or_list:
      return {{"anyOf", {schema(kind.element.front()), list_schema(kind)}}};
    case Kind::Form::weights:
      return weights_schema(kind);
    case Kind::Form::object:
      return kind.table->schema();
  }
  return {};
}

}  // namespace kumiki::gen::config
