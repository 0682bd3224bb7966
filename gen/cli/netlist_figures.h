// SPDX-License-Identifier: Apache-2.0
// The cost of a netlist and the delay of its slowest path. The same rules apply to our netlists and
// to those that Yosys makes from behavioural Verilog.
#pragma once
#include <cstdint>

#include "backends/fabric/slices.h"
#include "ir/design.h"

namespace kumiki::cli {

struct NetlistFigures {
  std::uint64_t luts = 0;     // sites used as logic
  std::uint64_t carries = 0;  // positions, in whole CARRY4 or CARRY8
  std::uint64_t ffs = 0;
  std::uint64_t slices = 0;
  // The slowest path from inputs and registers to outputs and registers.
  std::uint32_t levels = 0;      // LUTs, including MUXF
  std::uint32_t carry_bits = 0;  // positions passed, over all chains
  std::int32_t picoseconds = 0;  // for speed grade -1
  double ns() const { return picoseconds / 1000.0; }
};
NetlistFigures netlist_figures(const ir::Design& design,
                               backends::fabric::PackOptions options = {});

}  // namespace kumiki::cli
