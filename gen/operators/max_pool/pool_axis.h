// SPDX-License-Identifier: Apache-2.0
// The maximum of windows along one axis, position by position: of the columns of a line, or of the
// lines of a map. A position takes one clock. If windows end behind the last position of the map,
// extra positions complete them.
//
// Windows that share at most one position with the next need one comparison: the unit keeps the
// maximum of the window so far. All others combine maxima of 2 positions, of 4 and so on, and a
// last step that overlaps: 2, 4 and 5 give windows of 5.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/graph/graph.h"

namespace kumiki::gen::pipeline {

struct PoolStep {
  std::int64_t distance = 1;     // positions from the earlier number to the later one
  std::vector<bool> looks_back;  // at each position: whether the earlier number counts
  // The step keeps its result, not its input, for the next position.
  bool keeps_found = false;
  std::vector<bool> restarts;  // of keeps_found: the step keeps its input here
};

struct PoolAxis {
  PoolAxis(const graph::Window& window, int axis, std::int64_t length);
  std::int64_t length;
  std::int64_t windows = 0;  // 0: none fits
  std::vector<PoolStep> steps;
  std::vector<bool> completes;  // at each position: whether a window ends there
  std::int64_t positions() const { return std::ssize(completes); }
  std::vector<bool> inside() const;  // at each position: whether it is one of the map
  // Some window covers nothing but padding.
  bool is_blind = false;
};

}  // namespace kumiki::gen::pipeline
