// SPDX-License-Identifier: Apache-2.0
// What Yosys makes of the same function written as behaviour: the measure of what a tree saves.
#pragma once
#include <cstdint>
#include <string>

#include "gen/cli/timing.h"
#include "ir/primitive.h"

namespace kumiki::cli {

struct Naive {
  std::uint64_t luts = 0;
  gen::compressor::Timing timing;
};

// After synth_xilinx of a module `naive`, without DSP slices. ToolError when Yosys is missing.
Naive naive(const std::string& verilog, ir::Family family);

}  // namespace kumiki::cli
