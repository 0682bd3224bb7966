// SPDX-License-Identifier: Apache-2.0
// Yosys' result for behavioural Verilog of the same function: the reference for the savings of a
// tree.
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

// Results of synth_xilinx without DSP slices, with and without MUXF7 and MUXF8. In the count of
// sites, two LUTs share one whenever possible.
struct NaiveFigures {
  NetlistFigures smaller;  // in LUT sites
  NetlistFigures faster;
};
// ToolError if Yosys is missing, backends::TimeIsUp if it takes longer.
NaiveFigures naive(const Behaviour& behaviour, ir::Family family);

}  // namespace kumiki::cli
