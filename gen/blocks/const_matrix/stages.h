// SPDX-License-Identifier: Apache-2.0
// The positions of the registers of a network.
#pragma once
#include "gen/blocks/const_matrix/network.h"

namespace kumiki::gen::const_matrix {

// Gives every node the earliest possible stage, with at most `levels` LUTs and chains between two
// registers. A register follows directly behind a chain with majorities (chain.h). 0: no registers.
// Sets the latency.
void place_registers(Network& network, int levels);

// The most levels as kumiki timing counts them: every carry block of a chain is one.
int levels_between(const Network& network, int block);

// Flip-flops of computed words and of words that wait for others.
std::int64_t flip_flops(const Network& network);

}  // namespace kumiki::gen::const_matrix
