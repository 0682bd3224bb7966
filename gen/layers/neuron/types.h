// SPDX-License-Identifier: Apache-2.0
// The layer types "bnn_neuron", "bnn_serial" and "bnn_dense".
#pragma once
#include "gen/layer/type.h"

namespace kumiki::gen::neuron {

std::vector<config::LayerType> layer_types();

}  // namespace kumiki::gen::neuron
