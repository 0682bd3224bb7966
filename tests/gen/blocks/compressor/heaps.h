// SPDX-License-Identifier: Apache-2.0
// Heaps that are not shipped, with what the solver reached when its default was a search of minutes
// (at 396e275, but for the last three, and for delays, which are those of netlists since): quick
// efforts are measured by it.
#pragma once
#include <ostream>
#include <string>
#include <vector>

#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

struct KnownHeap {
  std::string name;
  unsigned columns;
  std::vector<unsigned> bits, pairs;  // of the low columns, zeros above
  Objective objective;
  Finish finish;
  bool free_exits;
  unsigned stages, luts, picoseconds;
  bool is_cheap;  // looked at with every run of the tests

  friend std::ostream& operator<<(std::ostream& out, const KnownHeap& h) { return out << h.name; }

  TreePlan request() const {
    TreePlan plan{
        .shape = {bits, pairs}, .finish = finish, .free_exits = free_exits, .objective = objective};
    plan.shape.bits.resize(columns);
    plan.shape.pairs.resize(columns);
    return plan;
  }
};

inline const std::vector<KnownHeap>& known_heaps() {
  static const std::vector<KnownHeap> all{
      // clang-format off
      {"popcount 20", 5, {20}, {}, Objective::stages, Finish::row, false, 2, 13, 3024, true},
      {"popcount 48", 6, {48}, {}, Objective::stages, Finish::row, false, 2, 33, 4536, true},
      {"popcount 100", 7, {100}, {}, Objective::stages, Finish::row, false, 3, 67, 6132, false},
      {"popcount 150", 8, {150}, {}, Objective::stages, Finish::row, false, 3, 102, 6188, true},
      {"popcount 300", 9, {300}, {}, Objective::stages, Finish::row, false, 4, 195, 7756, false},
      {"popcount 40 luts", 6, {40}, {}, Objective::luts, Finish::row, false, 3, 26, 4564, false},
      {"popcount 200 luts", 8, {200}, {}, Objective::luts, Finish::row, false, 5, 126, 8556, false},
      {"popcount 60 delay", 6, {60}, {}, Objective::delay, Finish::row, false, 4, 48, 4724, false},
      {"popcount 120 delay", 7, {120}, {}, Objective::delay, Finish::row, false, 5, 109, 5508, false},
      {"popcount 100 pipelined", 7, {100}, {}, Objective::stages, Finish::row, true, 3, 62, 6076, true},
      {"popcount 200 pipelined", 8, {200}, {}, Objective::stages, Finish::row, true, 4, 122, 7672, false},
      {"popcount 90 ternary", 7, {90}, {}, Objective::stages, Finish::ternary, false, 3, 57, 6104, true},
      {"neuron 48", 8, {1, 1, 1, 0, 0, 1, 1}, {48}, Objective::stages, Finish::carry, false, 3, 50, 5336, false},
      {"neuron 48 embedded", 8, {49, 1, 1, 0, 0, 1, 1}, {}, Objective::stages, Finish::carry, false, 2, 31, 4536, true},
      {"neuron 100", 9, {1, 0, 1, 1, 0, 0, 1, 1}, {100}, Objective::stages, Finish::carry, false, 4, 97, 6932, false},
      {"neuron 100 embedded", 9, {101, 0, 1, 1, 0, 0, 1, 1}, {}, Objective::stages, Finish::carry, false, 3, 63, 6104, false},
      {"neuron 200", 10, {0, 1, 1, 0, 0, 1, 0, 1, 1}, {200}, Objective::stages, Finish::carry, false, 4, 212, 6988, false},
      {"neuron 200 embedded", 10, {200, 1, 1, 0, 0, 1, 0, 1, 1}, {}, Objective::stages, Finish::carry, false, 4, 126, 7672, false},
      {"neuron 100 embedded luts", 9, {101, 0, 1, 1, 0, 0, 1, 1}, {}, Objective::luts, Finish::carry, false, 4, 62, 6048, false},
      {"neuron 48 delay", 8, {1, 1, 1, 0, 0, 1, 1}, {48}, Objective::delay, Finish::carry, false, 4, 51, 5278, false},
      {"multiplier 6x5u", 11, {}, {1, 2, 3, 4, 5, 5, 4, 3, 2, 1}, Objective::stages, Finish::row, false, 2, 28, 4844, true},
      {"multiplier 8x8s", 16, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4, 3, 2, 1}, Objective::stages, Finish::row, false, 2, 57, 5152, false},
      {"multiplier 10x10u", 20, {}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, Objective::stages, Finish::row, false, 2, 88, 5432, false},
      {"multiplier 12x12s", 24, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, Objective::stages, Finish::row, false, 2, 125, 5628, false},
      {"multiplier 12x12s luts", 24, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, Objective::luts, Finish::row, false, 2, 125, 5628, false},
      {"multiplier 8x8s pipelined", 16, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4, 3, 2, 1}, Objective::stages, Finish::row, true, 2, 53, 5040, false},
      {"4 products 8x8", 18, {0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 4}, {4, 8, 12, 16, 20, 24, 28, 32, 28, 24, 20, 16, 12, 8, 4}, Objective::stages, Finish::row, false, 3, 220, 7112, false},
      {"5 words of 8", 11, {5, 5, 5, 5, 5, 5, 5, 5}, {}, Objective::stages, Finish::row, false, 1, 25, 3360, false},
      {"9 words of 12", 16, {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, {}, Objective::stages, Finish::row, false, 2, 61, 5124, false},
      {"16 words of 16", 20, {16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16}, {}, Objective::stages, Finish::row, false, 2, 142, 5684, false},
      {"12 words of 24", 28, {12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12}, {}, Objective::stages, Finish::row, false, 2, 151, 6384, false},
      {"9 words of 12 delay", 16, {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, {}, Objective::delay, Finish::row, false, 3, 78, 4710, false},
      {"9 words of 12 pipelined", 16, {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, {}, Objective::stages, Finish::row, true, 2, 63, 5040, true},
      {"random 1", 13, {8, 3, 15, 14, 15, 12, 6, 3}, {}, Objective::stages, Finish::row, false, 2, 50, 4928, true},
      {"random 2", 18, {3, 4, 0, 3, 2, 1, 4, 0, 2, 0, 0, 0, 4}, {}, Objective::luts, Finish::row, false, 2, 11, 2424, false},
      {"random 3", 11, {6, 0, 8, 3, 7, 7}, {}, Objective::stages, Finish::row, false, 2, 20, 3192, false},
      {"random 6", 18, {5, 16, 12, 11, 15, 0, 15, 1, 9, 12, 5, 5, 16}, {}, Objective::stages, Finish::row, false, 2, 69, 5376, true},
      {"popcount 600", 10, {600}, {}, Objective::stages, Finish::row, false, 5, 375, 9352, true},
      {"multiplier 16x16s", 32, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, Objective::stages, Finish::row, false, 3, 213, 7728, false},
      {"popcount 20000", 15, {20000}, {}, Objective::stages, Finish::row, false, 8, 12586, 14392, false},
      // Wide heaps that a quick search took up to a minute for, as it was at e2135ce.
      {"multiplier 16x16s luts", 32, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, Objective::luts, Finish::row, false, 4, 208, 9088, false},
      {"24 words of 20 luts", 25, {24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24}, {}, Objective::luts, Finish::row, false, 3, 251, 8036, false},
      {"10 words of 30 luts", 34, {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, {}, Objective::luts, Finish::row, false, 3, 176, 7560, false},
      // clang-format on
  };
  return all;
}

}  // namespace kumiki::gen::compressor
