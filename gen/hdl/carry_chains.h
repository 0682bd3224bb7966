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

// Makes each chain as carry_chain does. A CARRY8 may be two chains of four positions (DUAL_CY4),
// and the carry out of the upper one goes to the block above. So if two chains would leave half of
// their last block, one begins where the other ends. No chain may depend on another one.
std::vector<CarryOut> carry_chains(Scope& s, std::span<const CarryIn> chains,
                                   SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen
