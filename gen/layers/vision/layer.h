// SPDX-License-Identifier: Apache-2.0
// The layer type "vision", and the pipeline of such a layer.
#pragma once
#include <memory>

#include "gen/config/document.h"
#include "gen/layer/type.h"
#include "gen/layers/vision/plan.h"
#include "gen/layers/vision/request.h"

namespace kumiki::gen::vision {

std::unique_ptr<Layer> make_layer(const Pipeline& pipeline);
// The pipeline of a layer; null if the layer has another type.
const Pipeline* pipeline_of(const Layer& layer);
std::unique_ptr<Layer> make_layer(const Request& request, const config::Target& target);

config::LayerType layer_type();

}  // namespace kumiki::gen::vision
