// SPDX-License-Identifier: Apache-2.0
// A greedy start for heaps too wide to be solved at once. It works stage by stage. Each stage uses
// the fewest LUTs that lower the heap to the height that the stages behind it can still add.
#pragma once
#include <optional>
#include <vector>

#include "gen/blocks/compressor/solver/model.h"
#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

// A solution of the model. Empty: more rows remain than the final adder takes.
std::optional<std::vector<double>> greedy(const TreeModel& model, Search& search);

}  // namespace kumiki::gen::compressor
