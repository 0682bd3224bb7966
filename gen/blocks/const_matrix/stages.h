// SPDX-License-Identifier: Apache-2.0
// Where the registers of a network stand.
#pragma once
#include "gen/blocks/const_matrix/network.h"

namespace kumiki::gen::const_matrix {

// Gives every node its stage, as early as it can be: between two registers are at most `levels`
// LUTs and chains. A chain with majorities has a register behind it at once (chain.h). With 0 there
// are no registers. Sets the latency.
void place_registers(Network& network, int levels);

// Levels as kumiki timing counts them, at most: every carry block of a chain is one.
int levels_between(const Network& network, int block);

// Flip-flops of words that are computed, and of those that wait for others.
std::int64_t flip_flops(const Network& network);

}  // namespace kumiki::gen::const_matrix
