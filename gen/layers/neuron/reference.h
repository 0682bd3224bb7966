// SPDX-License-Identifier: Apache-2.0
// Binarised neurons as plain Verilog: y = number of agreements >= T.
#pragma once
#include "gen/layer/reference.h"
#include "gen/layers/neuron/dense.h"
#include "gen/layers/neuron/serial.h"

namespace kumiki::gen::neuron {

// `latency`: as the ports promise.
proof::Reference reference(const NeuronRequest& request, unsigned latency);
proof::Reference reference(const DenseRequest& request, unsigned latency);
proof::Reference reference(const SerialRequest& request, unsigned latency);

}  // namespace kumiki::gen::neuron
