// SPDX-License-Identifier: Apache-2.0
// Trees without the solver, at once and for any heap: for sums inside other generators, which are
// many and have deadlines. A register behind every stage is assumed, so that carries leave for
// nothing.
#pragma once
#include <optional>

#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// A tree of exactly so many stages before its final adder; stages that are not needed are empty.
// Joined six-bit atoms where columns are high, full adders where the deadline wants them. Nothing:
// the heap is too high for so many stages, or too uneven for this rule.
std::optional<TreePlan> row_tree(const Shape& shape, unsigned stages);

}  // namespace kumiki::gen::compressor
