// SPDX-License-Identifier: Apache-2.0
// The largest number of windows along one axis, position by position: of the columns of a line, or
// of the lines of a map. A position has a clock of its own; where windows still are to be completed
// behind the last position of the map, more of them follow.
//
// Windows that follow each other without sharing more than a position need one comparison: what is
// kept is the largest number of the window so far. All others are put together from the largest of
// 2 positions, of 4 and so on, and a last step that overlaps: 2, 4 and 5 give windows of 5.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/graph/graph.h"

namespace kumiki::gen::pipeline {

struct PoolStep {
  std::int64_t distance = 1;     // positions from the earlier number to the later one
  std::vector<bool> looks_back;  // at each position: the earlier number counts
  // The step keeps what it has found for the next position, not what it was given.
  bool keeps_found = false;
  std::vector<bool> restarts;  // of keeps_found: keeps what it was given all the same
};

struct PoolAxis {
  PoolAxis(const graph::Window& window, int axis, std::int64_t length);
  std::int64_t length;
  std::int64_t windows = 0;  // 0: none fits
  std::vector<PoolStep> steps;
  std::vector<bool> completes;  // at each position: a window
  std::int64_t positions() const { return std::ssize(completes); }
  // A window sees nothing but padding.
  bool is_blind = false;
};

}  // namespace kumiki::gen::pipeline
