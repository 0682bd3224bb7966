// SPDX-License-Identifier: Apache-2.0
// Carry chains of any width, with a register after every 16 positions: only a LUT and two carry
// blocks lie between two registers.
#pragma once
#include <functional>

#include "gen/hdl/chain_parts.h"
#include "gen/layers/vision/pixel/recipe.h"

namespace kumiki::gen::vision {

using arith::chain_clocks;

// The inputs of a chain: nets that all positions read, and words with one bit for each position.
struct ChainInputs {
  std::vector<Net> nets;
  std::vector<UInt> words;
};
// The sum of a part of the words; `more`: includes its carry as an extra top bit.
using ChainPart = std::function<UInt(const ChainInputs& in, Net carry, bool more)>;

// Builds the chain part by part, the lowest first; takes chain_clocks(width of the words) clocks.
UInt chained(Scope& s, ChainInputs in, Net carry, Net enable, const ChainPart& part);

// A part of a chain from propagate and generate.
UInt chain_part(Scope& s, const UInt& propagate, const UInt& generate, Net carry, bool more);

// a + b or a - b, modulo 2^width.
UInt sum_chained(Scope& s, const UInt& a, const UInt& b, bool subtracts, Net enable);

}  // namespace kumiki::gen::vision
