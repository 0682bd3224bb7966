// SPDX-License-Identifier: Apache-2.0
// The order in which the combinational outputs of a flat netlist can be computed.
//
// A node is one element of a LUT or MUXF, or a whole carry block, DSP or memory. Cells of the
// second kind on a loop of whole cells are split into their outputs. Each output then depends only
// on the inputs in the primitive table (`reach`, `reach_bit`). A remaining loop is a real one.
#pragma once
#include <cstdint>
#include <vector>

#include "backends/support/flat/flatten.h"
#include "ir/primitives/carry.h"

namespace kumiki::backends::native {

struct Node {
  static constexpr std::uint32_t whole = ~std::uint32_t{0};
  std::uint32_t cell = 0;  // in Flat::cells
  std::uint32_t part = whole;
};

constexpr bool is_muxf(ir::Kind k) { return k == ir::Kind::muxf7 || k == ir::Kind::muxf8; }
using ir::is_carry;
using ir::is_flop;
using ir::is_lut;

using ir::CarryShape;

// Output indices (table order, like the cell's nets) that belong to the node.
struct Outputs {
  std::uint32_t first, count;
};
void append_outputs(const Flat& flat, Node node, std::vector<Outputs>& ranges);

// The driven nets, including constants, on which the node depends.
void append_inputs(const Flat& flat, Node node, std::vector<std::uint32_t>& nets);

// Nodes, each after everything it depends on. DesignError names every hop of a combinational loop.
std::vector<Node> order(const Flat& flat);

}  // namespace kumiki::backends::native
