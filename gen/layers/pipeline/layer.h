// SPDX-License-Identifier: Apache-2.0
// The pipeline as a layer type of the catalog.
#pragma once
#include "gen/layer/type.h"
#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

std::unique_ptr<Layer> make_layer(PipelinePlan plan);
// The plan that a layer of this type runs; null for another type.
const PipelinePlan* plan_of(const Layer& layer);

config::LayerType layer_type();

}  // namespace kumiki::gen::pipeline
