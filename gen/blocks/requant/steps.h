// SPDX-License-Identifier: Apache-2.0
// Steps of logic that follow each other, cut into clocks.
#pragma once
#include <initializer_list>
#include <vector>

namespace kumiki::gen::requant {

// LUTs, multiplexers and carry blocks that may lie between two registers.
inline constexpr int most_levels = 3;

// Of each step the clock in which it happens, when each adds so many levels. A step alone may have
// more than most_levels.
inline std::vector<int> clocks_of_steps(std::initializer_list<int> levels) {
  std::vector<int> all;
  int clock = 0, used = 0;
  for (const int n : levels) {
    if (used > 0 && used + n > most_levels) ++clock, used = 0;
    used += n;
    all.push_back(clock);
  }
  return all;
}

// Of a tree of LUTs over so many bits.
inline int tree_levels(int bits) {
  int levels = 0;
  for (int seen = 1; seen < bits; seen *= 6) ++levels;
  return levels;
}

}  // namespace kumiki::gen::requant
