// SPDX-License-Identifier: Apache-2.0
// Which ports of the top form an AXI4-Stream or AXI4-Lite interface, and their clock and reset: for
// wrapped layers and for layers with streams of their own.
#pragma once
#include <vector>

#include "backends/emit/project/interfaces.h"
#include "gen/flow/network.h"

namespace kumiki::gen::axi_stream {

// The clocks first, then layer by layer; empty if no layer has such ports. Streams that violate the
// standard (tdata not of whole bytes, or tkeep not one bit a byte) are left out: their ports stay
// plain ports.
std::vector<backends::BusInterface> bus_interfaces(const BuiltNetwork& network,
                                                   const ir::Module& top);

}  // namespace kumiki::gen::axi_stream
