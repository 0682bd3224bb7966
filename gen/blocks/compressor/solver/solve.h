// SPDX-License-Identifier: Apache-2.0
// Trees for heaps. The result depends on the request, the options and the seed, never on the clock.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "gen/blocks/compressor/plan.h"
#include "ir/context.h"
#include "ir/primitive.h"

namespace kumiki::gen::compressor {

struct SolveOptions {
  // 0 and 1: a good tree at once. From 2 on: a search that may take minutes, each effort four times
  // as long as the one before.
  unsigned effort = 2;
  unsigned most_stages = 12;
  unsigned stages = 0;  // exactly this many; 0: as few as possible
  int seed = 1;
  unsigned share = 1;  // with a quick effort, this many trees share the work of one
  ir::Family family = ir::Family::series7;  // its delays count for the objectives delay and area
  bool only_luts = false;                   // for these objectives: no chains before the final
                                            // adder
  // For the objective area: trees of this heap for other objectives, used instead of solving them.
  std::vector<TreePlan> known = {};
  using Progress = ir::SearchWatcher::Progress;  // rounds of the neighbourhood search
  // Called with every round; false: stop and keep the best tree so far.
  std::function<bool(const Progress&)> progress = {};
  // Called about ten times a second between the rounds; false: the same. If there is no tree yet,
  // Interrupted is thrown.
  std::function<bool()> pulse = {};
};

// The request gives shape, finish, free_exits and objective. DesignError if there is no tree.
TreePlan solve(const TreePlan& request, const SolveOptions& options = {});

// A lower bound of the LUTs of any tree that `solve` can find for the request, with any number of
// stages: the relaxation of its integer program. It drops candidates that cannot win.
double luts_bound(const TreePlan& request);

// Elements that a shape can use, as indices in elements().
std::vector<std::size_t> useful_elements(const TreePlan& request);

}  // namespace kumiki::gen::compressor
