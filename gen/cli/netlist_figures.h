// SPDX-License-Identifier: Apache-2.0
// What a netlist costs and how long its slowest path is, ours or what Yosys made of a behaviour:
// one rule for both.
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
  // The slowest way from inputs and registers to outputs and registers.
  std::uint32_t levels = 0;      // LUTs, MUXF among them
  std::uint32_t carry_bits = 0;  // positions that it passes, all chains together
  std::int32_t picoseconds = 0;  // of speed grade -1
  double ns() const { return picoseconds / 1000.0; }
};
NetlistFigures netlist_figures(const ir::Design& design,
                               backends::fabric::PackOptions options = {});

}  // namespace kumiki::cli
