// SPDX-License-Identifier: Apache-2.0
#include "gen/config/kind_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gen/config/messages.h"
#include "gen/config/numbers.h"
#include "ir/error.h"

namespace kumiki::gen::config {
namespace {

constexpr std::array<std::string_view, 4> file_keys{"file", "bits", "type", "scale"};

std::string shape_text(const Numbers& n) { return fmt::format("{}", fmt::join(n.shape, " x ")); }

// The list, or the lists within lists, as JSON: `depth` dimensions of `shape`.
std::string as_json(const Numbers& n, const std::vector<std::size_t>& shape) {
  std::string text;
  std::vector<std::size_t> ends{1};  // entries of a list of each depth, the innermost first
  for (auto d = shape.rbegin(); d != shape.rend(); ++d) ends.push_back(ends.back() * *d);
  for (std::size_t i = 0; i < n.values.size(); ++i) {
    if (i > 0) text += ',';
    for (std::size_t d = 1; d < ends.size(); ++d)
      if (i % ends[d] == 0) text += '[';
    text += fmt::format("{}", n.values[i]);
    for (std::size_t d = 1; d < ends.size(); ++d)
      if ((i + 1) % ends[d] == 0) text += ']';
  }
  return n.values.empty() ? "[]" : text;
}

// Checks the numbers of a file by the rules for a list of numbers.
bool check_numbers(Reader& reader, const Kind& kind, Node node, const Numbers& n,
                   const std::string& file) {
  auto wrong = [&](Code code, const std::string& what, const std::string& required) {
    return reader.report(node, node.pointer(), file, code, what, "give " + required);
  };
  const Kind& element = kind.element.front();
  const bool weights = kind.form == Kind::Form::weights;
  const bool two = element.form == Kind::Form::list;
  const Kind& leaf = two ? element.element.front() : element;
  if (n.values.empty() && kind.shortest + weights > 0)
    return wrong(code::wrong_length, "has no numbers", noun(kind));
  if (!weights) {
    if (!two && !n.is_flat())
      return wrong(code::wrong_shape, fmt::format("has the shape {}", shape_text(n)),
                   "one row or one column");
    const std::size_t outer = two ? n.rows() : n.values.size();
    const auto span = [](const Kind& k) {
      return k.shortest == k.longest ? fmt::format("{}", k.longest)
             : k.shortest == 0       ? fmt::format("at most {}", k.longest)
                                     : fmt::format("{} to {}", k.shortest, k.longest);
    };
    if (outer < kind.shortest || outer > kind.longest)
      return wrong(code::wrong_length, fmt::format("has {} {}", outer, two ? "rows" : "entries"),
                   "a list of " + span(kind));
    if (two && (n.columns() < element.shortest || n.columns() > element.longest))
      return wrong(code::wrong_length, fmt::format("has rows of {}", n.columns()),
                   "a list of " + span(element));
  }
  for (std::size_t i = 0; i < n.values.size(); ++i)
    if (n.values[i] < leaf.low || n.values[i] > leaf.high)
      return wrong(code::out_of_range,
                   fmt::format("has {} in row {}, column {}, which is out of range", n.values[i],
                               i / n.columns(), i % n.columns()),
                   noun(leaf));
  // A number alone is a list of one.
  const std::vector<std::size_t> flat{n.values.size()}, matrix{n.rows(), n.columns()};
  node.stands_for(as_json(n, weights && !n.shape.empty() ? n.shape : two ? matrix : flat));
  return true;
}

}  // namespace

bool check_file(Reader& reader, const Kind& kind, Node node) {
  const std::string legal =
      R"(give {"file": "w.npy"}, .csv, .hex with "bits", or .bin or .raw with "type")";
  for (const Member m : node.members())
    if (std::ranges::find(file_keys, m.key.text()) == file_keys.end())
      return reader.report(m.key, code::unknown_key, "is not known", legal);
  const Node file = node.member("file"), bits = node.member("bits"), type = node.member("type"),
             scale = node.member("scale");
  if (!file) return reader.report(node, code::missing_key, "names no file", legal);
  const Kind path{.form = Kind::Form::text, .rule = &file_path()};
  const Kind width{.form = Kind::Form::integer, .low = 1, .high = 65536};
  const Kind positive{.form = Kind::Form::number, .lowest = 1e-30, .highest = 1e30};
  if (!check(reader, path, file) || (bits && !check(reader, width, bits)) ||
      (type && !check(reader, path, type)) || (scale && !check(reader, positive, scale)))
    return false;
  if (scale && !file.text().ends_with(".npy"))
    return reader.report(scale, code::key_without_use, "is for real numbers of a .npy file",
                         "omit it, or give a .npy file");
  const Kind* leaf = &kind.element.front();
  while (!leaf->element.empty()) leaf = &leaf->element.front();
  try {
    const Numbers n = read_numbers(node.folder() / file.text(),
                                   {.single_bits = leaf->low == 0 && leaf->high == 1,
                                    .is_signed = leaf->low < 0,
                                    .bits = bits ? static_cast<unsigned>(bits.integer()) : 0,
                                    .type = type ? type.text() : "",
                                    .scale = scale ? static_cast<float>(scale.number()) : 0});
    return check_numbers(reader, kind, node, n, in_quotes(file.text()));
  } catch (const FileError& e) {
    const Diagnostic& d = e.diagnostic();
    return reader.report(file, file.pointer(), "", d.code, d.wrong,
                         d.required.empty() ? "give a file of numbers" : d.required);
  }
}

Json file_schema() {
  Json file = schema(file_path());
  file["description"] = "path from the configuration: .npy, .csv, .hex, .bin or .raw";
  return {{"type", "object"},
          {"properties",
           {{"file", std::move(file)},
            {"scale",
             {{"type", "number"},
              {"minimum", 1e-30},
              {"maximum", 1e30},
              {"description", "of an .npy file of floats: one step of the integers"}}},
            {"bits",
             {{"type", "integer"},
              {"minimum", 1},
              {"maximum", 65536},
              {"description", "of a .hex file: of each number, in two's complement"}}},
            {"type",
             {{"enum", {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"}},
              {"description", "of a .bin or .raw file: its numbers, low byte first"}}}}},
          {"required", {"file"}},
          {"additionalProperties", false}};
}

}  // namespace kumiki::gen::config
