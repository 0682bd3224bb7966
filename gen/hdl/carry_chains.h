// SPDX-License-Identifier: Apache-2.0
// Several carry chains at once, so that two of them may share a block.
#pragma once
#include <span>
#include <vector>

#include "gen/hdl/arithmetic.h"

namespace kumiki::gen {

struct CarryIn {
  std::vector<Net> propagate, di;
  Net carry = ir::net_zero;
};

// A position that adds a net to a function of up to five others. Its LUT gives DI as well, as the
// function: where S is 0, both are equal. So no pin of the slice brings a net to DI; at the first
// position of a CARRY4 that pin has the carry, if it comes from outside of the chain.
struct CarryPosition {
  Net propagate, di;
};
CarryPosition net_and_function(Scope& s, Net net, const Table& function, std::span<const Net> in,
                               SourceLocation here = SourceLocation::current());

// Makes each chain as carry_chain does. A CARRY8 may be two chains of four positions (DUAL_CY4),
// and the carry out of the upper one goes to the block above. So if two chains would leave half of
// their last block, one begins where the other ends. No chain may depend on another one.
std::vector<CarryOut> carry_chains(Scope& s, std::span<const CarryIn> chains,
                                   SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen
