// SPDX-License-Identifier: Apache-2.0
#include "gen/config/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gen/config/layers.h"

namespace kumiki::gen::config {
namespace {

Json closed_object(Json properties) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

Json layer_schema(const LayerType& type) {
  Json properties = {{"type", {{"const", type.name}}}, {"name", schema(layer_name_kind())}};
  properties.update(type.table->properties());
  Json out = closed_object(std::move(properties));
  out["description"] = type.help;
  return out;
}

// Every key is legal in the form of any type that has it; a type's name holds keys of that type.
Json defaults_schema(const Registry& registry) {
  Json properties = Json::object();
  for (const LayerType& type : registry.types()) {
    const Json of_type = type.table->properties();
    for (const auto& [key, one] : of_type.items()) {
      Json without_default = one;
      without_default.erase("default");
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
    properties[type.name] = closed_object(type.table->properties());
  }
  return closed_object(std::move(properties));
}

Json layers_schema(const Registry& registry) {
  Json item = {{"type", "object"},
               {"properties", {{"type", schema(layer_type_kind(registry))}}},
               {"required", {"type"}},
               {"allOf", Json::array()}};
  for (const LayerType& type : registry.types()) {
    item["allOf"].push_back({{"if", {{"properties", {{"type", {{"const", type.name}}}}}}},
                             {"then", {{"$ref", "#/$defs/" + type.name}}}});
  }
  return {{"type", "array"}, {"items", std::move(item)}, {"minItems", 1}, {"maxItems", max_layers}};
}

// A layer must give a required key unless the defaults do.
Json required_rule(const LayerType& type, const std::string& key) {
  const Json has_key = {{"required", {key}}};
  const Json for_all = {{"properties", {{"defaults", has_key}}}};
  const Json for_type = {
      {"properties",
       {{"defaults", {{"properties", {{type.name, has_key}}}, {"required", {type.name}}}}}}};
  const Json defaults_have_it = {{"required", {"defaults"}}, {"anyOf", {for_all, for_type}}};
  const Json of_type = {{"properties", {{"type", {{"const", type.name}}}}}};
  const Json items = {{"if", of_type}, {"then", has_key}};
  return {{"if", {{"not", defaults_have_it}}},
          {"then", {{"properties", {{"layers", {{"items", items}}}}}}}};
}

}  // namespace

Json schema(const Registry& registry) {
  Json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", fmt::format("Kumiki configuration, format {}", format_version)}};
  out.update(document_table().schema());
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
