// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/catalog.h"

#include <fmt/format.h>

#include <iterator>

#include "gen/layers/array/layer.h"
#include "gen/layers/common/messages.h"
#include "gen/layers/compressor/layer.h"
#include "gen/layers/const_matrix/layer.h"
#include "gen/layers/dot/layer.h"
#include "gen/layers/engine/layer.h"
#include "gen/layers/lut_macc/layer.h"
#include "gen/layers/matrix/layer.h"
#include "gen/layers/neuron/types.h"
#include "gen/layers/pipeline/layer.h"
#include "gen/layers/requant/layer.h"
#include "gen/layers/vision/layer.h"
#include "ir/error.h"

namespace kumiki::gen {
namespace {

using Types = std::vector<config::LayerType>;

Types joined(std::vector<Types> families) {
  Types all;
  for (Types& types : families) std::ranges::move(types, std::back_inserter(all));
  return all;
}

}  // namespace

const config::Registry& registry() {
  static const config::Registry all(joined({
      {dot::layer_type()},
      matrix::layer_types(),
      {requant::layer_type()},
      compressor::layer_types(),
      {const_matrix::layer_type()},
      neuron::layer_types(),
      {vision::layer_type()},
      {array::layer_type()},
      {pipeline::layer_type()},
      {engine::layer_type()},
      {lut_macc::layer_type()},
  }));
  return all;
}

std::vector<NamedLayer> layers_of(const config::Document& document, const std::string& file) {
  std::vector<NamedLayer> layers;
  for (const config::Layer& l : document.layers) {
    auto layer = std::dynamic_pointer_cast<const Layer>(l.plan);
    if (!layer)
      throw DesignError(code::plans_no_layers,
                        fmt::format("{}: {} plans no layers", l.pointer, l.type->name));
    layers.push_back({l.name, l.type->name, ir::origin(fmt::format("{}: {}", file, l.pointer)),
                      std::move(layer)});
  }
  return layers;
}

}  // namespace kumiki::gen
