// SPDX-License-Identifier: Apache-2.0
// The layer's model between queues of two words.
#pragma once
#include <memory>

#include "gen/flow/axi_stream/ports.h"

namespace kumiki::gen::axi_stream {

std::unique_ptr<ir::Machine> make_model(const Ports& ports, std::unique_ptr<ir::Machine> layer);

// Copies the ports without a buffer from the wrapper to the layer, and back.
void to_layer(const Ports& ports, const ir::Frame& outer, ir::Frame& inner);
void from_layer(const Ports& ports, const ir::Frame& inner, ir::Frame& outer);

}  // namespace kumiki::gen::axi_stream
