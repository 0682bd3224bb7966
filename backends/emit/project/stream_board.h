// SPDX-License-Identifier: Apache-2.0
// A netlist between two streams on a board of the 7 series: behind a serial line, without a
// processor, or between the streams of an AXI DMA.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "backends/emit/project/interfaces.h"
#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

// If all inputs of the top are one clock, one reset and an AXI4-Stream in each direction, adds
// `<top>_serial.v` and `<top>_serial.tcl`; if words have 2^n bytes, also `<top>_dma.tcl`.
// `frame_bytes`: of a frame that goes in.
void write_stream_board(const ir::Names& names, const std::vector<BusInterface>& interfaces,
                        std::uint64_t frame_bytes, OutputSet& out, const std::string& version,
                        const std::string& generator);

}  // namespace kumiki::backends
