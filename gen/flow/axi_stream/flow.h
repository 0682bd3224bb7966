// SPDX-License-Identifier: Apache-2.0
// A layer with rst, en, in_valid and out_valid as part of a stream: in_valid, in_ready, in_data,
// out_valid, out_ready, out_data. The pipeline moves if its last result is taken or absent. A set
// of operands that takes several clocks consists of as many words; within a set the pipeline moves
// only with the next word. One clock enable moves everything, so a result may wait for the rest of
// the following sets.
#pragma once
#include <memory>

#include "gen/flow/axi_stream/flow_ports.h"
#include "gen/layer/layer.h"

namespace kumiki::gen::axi_stream {

// `layer` must have these ports, and clocks_of_set() must not be 0.
std::shared_ptr<const Layer> as_flow(std::shared_ptr<const Layer> layer,
                                     const ir::PortLayout& ports);

std::unique_ptr<ir::Machine> make_flow_model(const FlowPorts& ports, std::uint32_t clocks_of_set,
                                             std::unique_ptr<ir::Machine> layer);

// Convert between the word of an outer frame and the layer's ports.
void unpack_flow(const FlowPorts& ports, const ir::Frame& outer, ir::Frame& inner);
void pack_flow(const FlowPorts& ports, const ir::Frame& inner, ir::Frame& outer);

}  // namespace kumiki::gen::axi_stream
