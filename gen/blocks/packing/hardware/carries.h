// SPDX-License-Identifier: Apache-2.0
// The carries between lanes of a chain, read off its last P, and their sums over all chains.
#pragma once
#include <vector>

#include "gen/blocks/packing/hardware/slices.h"
#include "gen/blocks/packing/hardware/sum.h"

namespace kumiki::gen::packing {

// One addend for each carry sum of the plan, valid in its `cycle`. `operands` and `no_term` are
// aligned with the slices.
std::vector<Addend> build_carry_sums(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                                     const std::vector<Net>& no_term,
                                     const std::vector<SInt>& words, Net enable);

// LUTs of the carries of one chain, without their sums.
unsigned sites_of_carries(const PackingPlan& plan, const Chain& chain);

}  // namespace kumiki::gen::packing
