// SPDX-License-Identifier: Apache-2.0
// Which ports of the top are one AXI4-Stream or AXI4-Lite, and which clock and reset it belongs to:
// of layers between streams, and of those that have streams of their own.
#pragma once
#include <vector>

#include "backends/emit/project/interfaces.h"
#include "gen/flow/network.h"

namespace kumiki::gen::axi_stream {

// The clocks first, then layer by layer; nothing when no layer has such ports. A stream that the
// standard does not know, with a tdata that is not whole bytes or a tkeep that is not a bit a byte,
// is left out: its ports stay ports.
std::vector<backends::BusInterface> bus_interfaces(const BuiltNetwork& network,
                                                   const ir::Module& top);

}  // namespace kumiki::gen::axi_stream
