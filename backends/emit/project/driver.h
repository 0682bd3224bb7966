// SPDX-License-Identifier: Apache-2.0
// C99 for a host that sends frames to the streams of a netlist through an AXI DMA: the driver,
// which knows no netlist, and a header with the frames of this one.
#pragma once
#include <string>
#include <vector>

#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

struct DriverOptions {
  std::string generator = {};
  // Constants and functions of each stream that carries frames.
  std::vector<std::string> streams = {};
  // Layers with one such stream each way: from numbers to numbers in one call.
  struct Whole {
    std::string name;                              // of the function: "top_layer_run"
    std::string in, in_capital, out, out_capital;  // of the streams' functions and constants
  };
  std::vector<Whole> whole = {};
};

// Adds kumiki_dma.h and .c, kumiki_map.h and .c, and <top>_frames.h.
void write_driver(const ir::Names& names, OutputSet& out, const DriverOptions& options);

}  // namespace kumiki::backends
