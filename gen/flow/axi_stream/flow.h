// SPDX-License-Identifier: Apache-2.0
// A layer with rst, en, in_valid and out_valid as a part of a stream: in_valid, in_ready, in_data,
// out_valid, out_ready, out_data. The pipeline moves while its last result is taken or there is
// none. A set of operands that takes several clocks is as many words, and within a set the pipeline
// moves only with the next of them. One clock enable moves everything, so a result may wait for the
// rest of the sets behind it.
#pragma once
#include <memory>

#include "gen/flow/axi_stream/flow_ports.h"
#include "gen/layer/layer.h"

namespace kumiki::gen::axi_stream {

// `layer` has these ports, and clocks_of_set() is not 0.
std::shared_ptr<const Layer> as_flow(std::shared_ptr<const Layer> layer,
                                     const ir::PortLayout& ports);

std::unique_ptr<ir::Machine> make_flow_model(const FlowPorts& ports, std::uint32_t clocks_of_set,
                                             std::unique_ptr<ir::Machine> layer);

// The word of an outer frame as ports of the layer's, and back.
void unpack_flow(const FlowPorts& ports, const ir::Frame& outer, ir::Frame& inner);
void pack_flow(const FlowPorts& ports, const ir::Frame& inner, ir::Frame& outer);

}  // namespace kumiki::gen::axi_stream
