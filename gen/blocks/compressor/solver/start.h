// SPDX-License-Identifier: Apache-2.0
// A greedy start, for heaps too wide to be solved at once: stage by stage, each with the fewest
// LUTs that bring all columns down to a height, or as low as a stage can.
#pragma once
#include <optional>
#include <vector>

#include "gen/blocks/compressor/solver/model.h"
#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

// A solution of the model. None: none of the heights tried is possible.
std::optional<std::vector<double>> greedy(const TreeModel& model, Search& search);

}  // namespace kumiki::gen::compressor
