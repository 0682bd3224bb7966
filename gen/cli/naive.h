// SPDX-License-Identifier: Apache-2.0
// What Yosys makes of the same function written as behaviour: the measure of what a tree saves.
#pragma once
#include <cstdint>
#include <string>

#include "ir/primitive.h"

namespace kumiki::cli {

// LUTs after synth_xilinx of a module `naive`, without DSP slices. ToolError when Yosys is missing.
std::uint64_t naive_luts(const std::string& verilog, ir::Family family);

}  // namespace kumiki::cli
