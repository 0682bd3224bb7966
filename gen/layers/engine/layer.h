// SPDX-License-Identifier: Apache-2.0
// The engine as a layer type of the catalog.
#pragma once
#include "gen/layer/type.h"
#include "gen/layers/engine/request.h"

namespace kumiki::gen::engine {

std::unique_ptr<Layer> make_layer(Engine engine);
// The engine that a layer of this type is; null for another type.
const Engine* engine_of(const Layer& layer);

config::LayerType layer_type();

}  // namespace kumiki::gen::engine
