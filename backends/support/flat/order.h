// SPDX-License-Identifier: Apache-2.0
// In which order the combinational outputs of a flat netlist can be computed.
//
// A node is one element of a LUT or MUXF, or a whole carry block, DSP or memory. Cells of the
// second kind that lie on a loop of whole cells are cut into their outputs, each depending on what
// the primitive table says it sees (`reach`, `reach_bit`). A loop that is left then is a real one.
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

// Output indices (table order, as the cell's nets) that belong to the node.
struct Outputs {
  std::uint32_t first, count;
};
void append_outputs(const Flat& flat, Node node, std::vector<Outputs>& ranges);

// The driven nets, constants included, that the node sees.
void append_inputs(const Flat& flat, Node node, std::vector<std::uint32_t>& nets);

// Nodes, each behind all it depends on. DesignError names every hop of a combinational loop.
std::vector<Node> order(const Flat& flat);

}  // namespace kumiki::backends::native
