// SPDX-License-Identifier: Apache-2.0
#include "gen/config/editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gen/config/help.h"

namespace kumiki::gen::config {
namespace {

constexpr std::size_t most_examples = 3;

// Escapes the characters that have a meaning in Markdown.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::vector<Json> examples_of(const LayerType& type) {
  std::vector<Json> all;
  for (const std::string& example : type.examples) all.push_back(Json::parse(example));
  return all;
}

bool names_a_file(const LayerType& type, const Json& value) {
  const std::string text = value.dump();
  return std::ranges::any_of(type.files, [&](const LayerType::File& file) {
    return text.find('"' + file.name + '"') != std::string::npos;
  });
}

// The first example that names no file, if any: it works wherever it is pasted.
Json example_to_paste(const LayerType& type) {
  const auto examples = examples_of(type);
  for (const Json& example : examples)
    if (!names_a_file(type, example)) return example;
  return examples.empty() ? Json{{"type", type.name}} : examples.front();
}

// A value at which the cursor stops, in the language of snippets; ^ marks values that are not
// strings.
std::string stop(std::size_t place, const Json& value) {
  return value.is_string() ? fmt::format("${{{}:{}}}", place, value.get<std::string>())
                           : fmt::format("^${{{}:{}}}", place, value.dump());
}

}  // namespace

std::string markdown_help(const Attribute& attribute, const Json& defaults) {
  const Kind::Form form = attribute.kind.form;
  // The words of a choice follow below; the keys of an object have their own help.
  std::string legal =
      form == Kind::Form::choice || form == Kind::Form::object ? "" : noun(attribute.kind);
  if (!attribute.unit.empty()) legal += ", in " + attribute.unit;
  const std::string when = presence(attribute, defaults);
  if (!legal.empty() && !when.empty()) legal += "; ";
  std::string out = escaped(attribute.help);
  if (!legal.empty() || !when.empty()) out += "\n\n" + escaped(legal + when);
  if (form == Kind::Form::choice) {
    out += '\n';
    for (const Word& w : attribute.kind.words)
      out += fmt::format("\n- `{}`{}{}", w.word, w.help.empty() ? "" : ": ", escaped(w.help));
  }
  return out;
}

std::string markdown_help(const LayerType& type) {
  std::string out = escaped(type.help);
  if (!type.examples.empty()) out += fmt::format("\n\n```json\n{}\n```", type.examples.front());
  return out;
}

void add_examples(const LayerType& type, Json& properties) {
  const auto examples = examples_of(type);
  for (auto& [key, property] : properties.items()) {
    if (property.contains("default")) continue;
    Json values = Json::array();
    for (const Json& example : examples) {
      const auto given = example.find(key);
      if (given == example.end() || !given->is_primitive() || names_a_file(type, *given)) continue;
      if (values.size() == most_examples) break;
      if (std::find(values.begin(), values.end(), *given) == values.end()) values.push_back(*given);
    }
    if (!values.empty()) property["examples"] = std::move(values);
  }
}

Json layer_snippets(const Registry& registry) {
  Json all = Json::array();
  for (const LayerType& type : registry.types()) {
    Json body = example_to_paste(type);
    std::size_t stops = 0;
    for (auto& [key, value] : body.items())
      if (key != "type" && value.is_primitive()) value = stop(++stops, value);
    all.push_back({{"label", type.name}, {"description", type.help}, {"body", std::move(body)}});
  }
  return all;
}

Json document_snippets() {
  Json body = {{"kumiki", format_version}, {"name", "${1:top}"}, {"layers", Json::array({"^$2"})}};
  return Json::array({{{"label", "a configuration"},
                       {"description", "What to build: a target, and layers one after the other."},
                       {"body", std::move(body)}}});
}

}  // namespace kumiki::gen::config
