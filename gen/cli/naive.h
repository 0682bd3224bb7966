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

// After synth_xilinx without DSP slices, with MUXF7 and MUXF8 and without. In its sites two LUTs
// share one as soon as they may.
struct NaiveFigures {
  NetlistFigures smaller;  // in LUT sites
  NetlistFigures faster;
};
// ToolError when Yosys is missing, backends::TimeIsUp when it takes longer.
NaiveFigures naive(const Behaviour& behaviour, ir::Family family);

}  // namespace kumiki::cli
