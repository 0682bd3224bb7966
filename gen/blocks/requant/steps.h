// SPDX-License-Identifier: Apache-2.0
// Distributes consecutive steps of logic over clocks.
#pragma once
#include <initializer_list>
#include <vector>

namespace kumiki::gen::requant {

// The most LUTs, multiplexers and carry blocks between two registers.
inline constexpr int most_levels = 3;

// The clock of each step, given the levels that each step adds. A single step may have more than
// most_levels.
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

// The levels of a tree of LUTs over this many bits.
inline int tree_levels(int bits) {
  int levels = 0;
  for (int seen = 1; seen < bits; seen *= 6) ++levels;
  return levels;
}

}  // namespace kumiki::gen::requant
