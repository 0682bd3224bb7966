// SPDX-License-Identifier: Apache-2.0
// Makes trees quickly, without the solver, for the many sums inside other generators, which have a
// fixed number of stages. It assumes a register behind every stage, so carries leave at no cost.
#pragma once
#include <optional>

#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// A tree of exactly `stages` stages before its final adder; unneeded stages are empty. It has
// joined six-bit atoms in high columns, and full adders if the stages would not be enough
// otherwise. Empty: the heap is too high for the stages, or too uneven for this rule.
std::optional<TreePlan> row_tree(const Shape& shape, unsigned stages);

}  // namespace kumiki::gen::compressor
