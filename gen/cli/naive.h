// SPDX-License-Identifier: Apache-2.0
// What Yosys makes of the same function written as behaviour: the measure of what a tree saves.
#pragma once
#include <cstdint>
#include <string>

#include "gen/cli/netlist_figures.h"
#include "ir/primitive.h"

namespace kumiki::cli {

struct Behaviour {
  std::string verilog;
  std::string top = "naive";
  unsigned seconds = 1800;  // for Yosys
};

struct Naive {
  std::uint64_t luts = 0;     // sites used as logic
  std::uint64_t carries = 0;  // positions, in whole CARRY4 or CARRY8
  gen::compressor::Timing timing;
};

// After synth_xilinx, without DSP slices. ToolError when Yosys is missing, backends::TimeIsUp when
// it takes longer.
Naive naive(const Behaviour& behaviour, ir::Family family);

}  // namespace kumiki::cli
