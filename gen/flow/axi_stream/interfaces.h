// SPDX-License-Identifier: Apache-2.0
// Attributes in front of the ports of the top. They tell Vivado's block designs which ports are one
// AXI4-Stream, and which clock and reset it belongs to.
#pragma once
#include <string>
#include <vector>

#include "gen/flow/network.h"

namespace kumiki::gen::axi_stream {

struct PortAttribute {
  std::string port;  // of the top
  std::string name, value;
};

// In the order of the ports, the clock first; nothing when no layer stands between streams.
std::vector<PortAttribute> interface_attributes(const BuiltNetwork& network);

}  // namespace kumiki::gen::axi_stream
