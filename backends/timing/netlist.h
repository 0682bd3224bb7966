// SPDX-License-Identifier: Apache-2.0
// A design prepared for traversals: flat, in order of evaluation, with its fan-outs.
#pragma once
#include <vector>

#include "backends/support/flat/flatten.h"
#include "backends/support/flat/order.h"

namespace kumiki::backends::timing {

// No cell, no pin.
using native::none;

struct Netlist {
  explicit Netlist(const ir::Design& design);

  native::Flat flat;
  std::vector<native::Node> order;
  // For every net: the cell that drives it, its readers (pins and ports of the top), and the number
  // of readers that are the D of a flip-flop.
  std::vector<std::uint32_t> driver, fan_out, flops;

  const ir::Cell& cell(std::uint32_t c) const { return flat.cell(flat.cells[c]); }
  const ir::Module& module(std::uint32_t c) const { return flat.module(flat.cells[c]); }
  ir::CellView view(std::uint32_t c) const { return module(c).view(cell(c)); }
  // input: the driven net at an input of a cell. output: a net that the cell drives.
  std::uint32_t input(std::uint32_t c, std::uint32_t offset) const {
    return flat.driver_of(flat.scopes[flat.cells[c].scope], module(c).inputs(cell(c))[offset]);
  }
  std::uint32_t output(std::uint32_t c, std::uint32_t offset) const {
    return flat.output(flat.cells[c]) + offset;
  }
  // Whether registers of a cell run on clk2x.
  bool is_fast(std::uint32_t c) const;
  // Whether capturing in such a cell, or in a crossing, has only half a clock
  // (ir/check/clocks.cpp).
  bool captures_in_half(std::uint32_t c) const;
};

}  // namespace kumiki::backends::timing
