// SPDX-License-Identifier: Apache-2.0
// Carry chains of any width, with a register behind every 16 positions: a LUT and two carry blocks
// are all that lies between two registers.
#pragma once
#include <functional>

#include "gen/hdl/chain_parts.h"
#include "gen/layers/vision/pixel/recipe.h"

namespace kumiki::gen::vision {

using arith::chain_clocks;

// What a chain is made of: nets that all positions see, words that each has a bit of.
struct ChainInputs {
  std::vector<Net> nets;
  std::vector<UInt> words;
};
// The sum of a part of the words; `more`: with its carry as one bit more, on top.
using ChainPart = std::function<UInt(const ChainInputs& in, Net carry, bool more)>;

// Made part by part, the lowest first; chain_clocks(width of the words) clocks.
UInt chained(Scope& s, ChainInputs in, Net carry, Net enable, const ChainPart& part);

// A part of propagate and generate.
UInt chain_part(Scope& s, const UInt& propagate, const UInt& generate, Net carry, bool more);

// a + b or a - b, modulo 2^width.
UInt sum_chained(Scope& s, const UInt& a, const UInt& b, bool subtracts, Net enable);

}  // namespace kumiki::gen::vision
