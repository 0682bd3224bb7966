// SPDX-License-Identifier: Apache-2.0
// The networks of rank filters. The counts are exchanges before three of them become one sorter of
// three.
#pragma once
#include "gen/blocks/sort/network.h"
#include "gen/blocks/sort/zero_one.h"

namespace kumiki::gen::sort {

// n values in any order: trees, n - 1 sorters of which one output is used.
Network minimum(int n);
Network maximum(int n);
// All of them in order, the smallest first. The fewest exchanges known for n up to 9: 1, 3, 5, 9,
// 12, 16, 19, 25.
Network sorting(int n);
// The middle one of 3, 9 or 25: 3, 19 and 96 exchanges.
Network median(int n);

// The value of `rank` among the size x size pixels of a window (0: the smallest). A column of
// pixels is ordered once, when it comes; what is shared by windows side by side is computed once.
struct WindowNetwork {
  Network column;  // of `size` pixels: in order, or only what the ends need
  Network row;     // size + pixels - 1 columns as groups, one after the other; `pixels` outputs

  // What the row's outputs are, to be checked.
  std::vector<Rank> ranks(int rank) const;
};
WindowNetwork window_rank(int size, int pixels, int rank);
WindowNetwork window_minimum(int size, int pixels);
WindowNetwork window_median(int size, int pixels);  // size odd
WindowNetwork window_maximum(int size, int pixels);

}  // namespace kumiki::gen::sort
