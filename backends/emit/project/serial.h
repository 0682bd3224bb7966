// SPDX-License-Identifier: Apache-2.0
// A netlist behind a serial line, for boards without a processor: a top level in Verilog, and a
// script that makes the bitstream.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "backends/emit/project/interfaces.h"
#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

// Adds `<top>_serial.v` and `<top>_serial.tcl` if all inputs of the top are one clock, one reset
// and an AXI4-Stream in each direction. `frame_bytes`: of a frame that goes in.
void write_serial(const ir::Names& names, const std::vector<BusInterface>& interfaces,
                  std::uint64_t frame_bytes, OutputSet& out, const std::string& generator);

}  // namespace kumiki::backends
