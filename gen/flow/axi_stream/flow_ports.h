// SPDX-License-Identifier: Apache-2.0
// The ports of a layer with a clock enable, and of the same layer as part of a stream. All inputs
// form one word and all outputs another; every port begins on a byte boundary.
#pragma once
#include <string>
#include <vector>

#include "ir/machine.h"

namespace kumiki::gen::axi_stream {

struct Field {
  std::size_t port = 0;   // index among the layer's inputs or outputs
  std::uint32_t low = 0;  // its lowest bit in the word
};

struct FlowPorts {
  ir::PortLayout inner, outer;
  std::size_t rst = 0, en = 0, in_valid = 0, out_valid = 0;  // of the layer
  std::vector<Field> in, out;
};

// Indices of the outer ports.
enum FlowInput : std::size_t { flow_rst, flow_in_valid, flow_out_ready, flow_in_data };
enum FlowOutput : std::size_t { flow_in_ready, flow_out_valid, flow_out_data };

bool is_enabled_pipeline(const ir::PortLayout& layer);
FlowPorts flow_ports(const ir::PortLayout& layer);

// "x at bit 0, 32 bits; y at bit 32, 16 bits"
std::string fields_text(const std::vector<ir::PortSlot>& ports, const std::vector<Field>& fields);

}  // namespace kumiki::gen::axi_stream
