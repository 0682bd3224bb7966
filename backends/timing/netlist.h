// SPDX-License-Identifier: Apache-2.0
// A design made ready for walks over it: flat, in order of evaluation, with its fan-outs.
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
  // Of every net: the cell that drives it, its readers (pins and ports of the top), and how many
  // of them are the D of a flip-flop.
  std::vector<std::uint32_t> driver, fan_out, flops;

  const ir::Cell& cell(std::uint32_t c) const { return flat.cell(flat.cells[c]); }
  const ir::Module& module(std::uint32_t c) const { return flat.module(flat.cells[c]); }
  ir::CellView view(std::uint32_t c) const { return module(c).view(cell(c)); }
  // The driven net at an input of a cell; an output of it.
  std::uint32_t input(std::uint32_t c, std::uint32_t offset) const {
    return flat.driver_of(flat.scopes[flat.cells[c].scope], module(c).inputs(cell(c))[offset]);
  }
  std::uint32_t output(std::uint32_t c, std::uint32_t offset) const {
    return flat.output(flat.cells[c]) + offset;
  }
  // Whether registers of a cell run on clk2x.
  bool is_fast(std::uint32_t c) const;
  // What such a cell, or a crossing, captures has half a clock only (ir/check/clocks.cpp).
  bool captures_in_half(std::uint32_t c) const;
};

}  // namespace kumiki::backends::timing
