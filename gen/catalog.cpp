// SPDX-License-Identifier: Apache-2.0
#include "gen/catalog.h"

#include <fmt/format.h>

#include "gen/dot/layer.h"
#include "gen/requant/layer.h"

namespace kumiki::gen {
namespace {

struct Entry {
  config::LayerType type;
  std::unique_ptr<Layer> (*make)(const config::Layer&);
};

template <class Request, std::unique_ptr<Layer> (*make)(const Request&)>
std::unique_ptr<Layer> from_config(const config::Layer& layer) {
  return make(layer.as<Request>());
}

const std::vector<Entry>& entries() {
  using enum ir::Family;
  static const std::vector<Entry> all{
      {{"dot",
        "two packed dot products that share an operand",
        &dot::request_table(),
        {ultrascale, ultrascale_plus}},
       from_config<dot::Request, dot::make_layer>},
      {{"requant",
        "an accumulator scaled, rounded and clamped to an operand in one slice",
        &requant::request_table(),
        {ultrascale, ultrascale_plus}},
       from_config<requant::Request, requant::make_layer>},
  };
  return all;
}

}  // namespace

const config::Registry& registry() {
  static const config::Registry all([] {
    std::vector<config::LayerType> types;
    for (const Entry& e : entries()) types.push_back(e.type);
    return types;
  }());
  return all;
}

std::vector<NamedLayer> make_layers(const config::Document& document, const std::string& file) {
  std::vector<NamedLayer> layers;
  for (const config::Layer& l : document.layers)
    for (const Entry& e : entries())
      if (e.type.name == l.type->name)
        layers.push_back(
            {l.name, l.type->name, ir::origin(fmt::format("{}: {}", file, l.pointer)), e.make(l)});
  return layers;
}

}  // namespace kumiki::gen
