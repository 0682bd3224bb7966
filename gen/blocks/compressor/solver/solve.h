// SPDX-License-Identifier: Apache-2.0
// Trees for heaps. The result depends on the request, the options and the seed, never on the clock.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "gen/blocks/compressor/plan.h"
#include "ir/context.h"

namespace kumiki::gen::compressor {

struct SolveOptions {
  // 0 and 1: a good tree at once; from 2 on a search that may take minutes, four times as long
  // with each.
  unsigned effort = 2;
  unsigned most_stages = 12;
  unsigned stages = 0;  // exactly so many; 0: as few as there can be
  int seed = 1;
  unsigned share = 1;      // of a quick effort: so many trees have the work of one together
  bool only_luts = false;  // of the objective delay: no chains before the final adder
  std::optional<TreePlan> start = {};  // to improve; of the same request and as many stages
  using Progress = ir::SearchWatcher::Progress;  // rounds of the neighbourhood search
  // With every round; false: stop and keep the best tree so far.
  std::function<bool(const Progress&)> progress = {};
  // Some ten times a second between two of those; false: the same. Where there is no tree yet,
  // Interrupted is thrown.
  std::function<bool()> pulse = {};
};

// The request gives shape, finish, free_exits and objective. DesignError when there is no tree.
TreePlan solve(const TreePlan& request, const SolveOptions& options = {});

// Elements that a shape can use, as indices in elements().
std::vector<std::size_t> useful_elements(const TreePlan& request);

}  // namespace kumiki::gen::compressor
