// SPDX-License-Identifier: Apache-2.0
#include "gen/config/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gen/config/editor.h"
#include "gen/config/layers.h"

namespace kumiki::gen::config {
namespace {

Json closed_object(Json properties) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

// A condition that holds for objects with this type, but not for objects without a type.
Json of_type(const LayerType& type) {
  return {{"properties", {{"type", {{"const", type.name}}}}}, {"required", {"type"}}};
}

Json name_schema() {
  Json out = schema(layer_name_kind());
  out["description"] =
      "name of the layer, with which its ports and files begin; without it: type and place";
  return out;
}

Json properties_of(const LayerType& type) {
  Json properties = type.table->properties();
  add_examples(type, properties);
  return properties;
}

Json layer_schema(const LayerType& type) {
  const Json word = {{"const", type.name},
                     {"description", type.help},
                     {"markdownDescription", markdown_help(type)}};
  Json properties = {{"type", word}, {"name", name_schema()}};
  properties.update(properties_of(type));
  Json out = closed_object(std::move(properties));
  out["description"] = type.help;
  return out;
}

// Allows every key in the form of any type that has it. Below a type's name it allows the keys of
// that type.
Json defaults_schema(const Registry& registry) {
  Json properties = Json::object();
  for (const LayerType& type : registry.types()) {
    const Json of_type = type.table->properties();
    for (const auto& [key, one] : of_type.items()) {
      Json without_default = one;
      for (const char* of_one_type : {"default", "markdownDescription", "examples"})
        without_default.erase(of_one_type);
      Json& forms = properties[key]["anyOf"];
      if (std::find(forms.begin(), forms.end(), without_default) == forms.end()) {
        forms.push_back(without_default);
      }
    }
  }
  for (Json& one : properties) {
    if (Json only = one["anyOf"]; only.size() == 1) one = std::move(only.front());
  }
  for (const LayerType& type : registry.types()) {
    properties[type.name] = closed_object(properties_of(type));
    properties[type.name]["description"] = fmt::format("keys for layers of type {}", type.name);
  }
  Json out = closed_object(std::move(properties));
  out["description"] =
      "keys for all layers that have them; below the name of a type, for layers of that type";
  return out;
}

Json layers_schema(const Registry& registry) {
  Json type_schema = schema(layer_type_kind(registry));
  type_schema["description"] = "what this layer is: its keys depend on it";
  Json item = {{"type", "object"},
               {"properties", {{"type", std::move(type_schema)}, {"name", name_schema()}}},
               {"required", {"type"}},
               {"defaultSnippets", layer_snippets(registry)},
               {"allOf", Json::array()}};
  for (const LayerType& type : registry.types()) {
    item["allOf"].push_back({{"if", of_type(type)}, {"then", {{"$ref", "#/$defs/" + type.name}}}});
  }
  return {{"description", "layers, side by side"},
          {"type", "array"},
          {"items", std::move(item)},
          {"minItems", 1},
          {"maxItems", max_layers}};
}

// A layer must give a required key unless the defaults do.
Json required_rule(const LayerType& type, const std::string& key) {
  const Json has_key = {{"required", {key}}};
  const Json for_all = {{"properties", {{"defaults", has_key}}}};
  const Json for_type = {
      {"properties",
       {{"defaults", {{"properties", {{type.name, has_key}}}, {"required", {type.name}}}}}}};
  const Json defaults_have_it = {{"required", {"defaults"}}, {"anyOf", {for_all, for_type}}};
  const Json items = {{"if", of_type(type)}, {"then", has_key}};
  return {{"if", {{"not", defaults_have_it}}},
          {"then", {{"properties", {{"layers", {{"items", items}}}}}}}};
}

}  // namespace

Json schema(const Registry& registry) {
  Json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", fmt::format("Kumiki configuration, format {}", format_version)}};
  out.update(document_table().schema());
  out["defaultSnippets"] = document_snippets();
  out["properties"]["defaults"] = defaults_schema(registry);
  out["properties"]["layers"] = layers_schema(registry);
  out["required"].push_back("layers");
  Json rules = Json::array();
  for (const LayerType& type : registry.types()) {
    for (const std::string& key : type.table->required()) rules.push_back(required_rule(type, key));
  }
  if (!rules.empty()) out["allOf"] = std::move(rules);
  out["$defs"][identifier().name] = schema(identifier());
  for (const LayerType& type : registry.types()) out["$defs"][type.name] = layer_schema(type);
  return out;
}

}  // namespace kumiki::gen::config
