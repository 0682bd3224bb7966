// SPDX-License-Identifier: Apache-2.0
// A tree to begin with, for heaps too wide to be solved at once: stage by stage, each with the
// fewest LUTs that bring all columns below a height.
#pragma once
#include <optional>

#include "gen/blocks/compressor/solver/model.h"
#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

// Of the model's elements and so many stages. Nothing when the heights tried cannot be had.
std::optional<TreePlan> greedy(const TreeModel& model, Search& search);

}  // namespace kumiki::gen::compressor
