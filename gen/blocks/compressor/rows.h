// SPDX-License-Identifier: Apache-2.0
// Trees without the solver, in no time, for the many sums inside other generators, which have a
// fixed number of stages. A register behind every stage is assumed, so carries leave at no cost.
#pragma once
#include <optional>

#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// A tree of exactly `stages` stages before its final adder; stages that are not needed are empty.
// It has joined six-bit atoms where columns are high, full adders where the stages would not be
// enough otherwise. Nothing: the heap is too high for the stages, or too uneven for this rule.
std::optional<TreePlan> row_tree(const Shape& shape, unsigned stages);

}  // namespace kumiki::gen::compressor
