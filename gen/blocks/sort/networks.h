// SPDX-License-Identifier: Apache-2.0
// The networks of rank filters. The counts below are exchanges, before three exchanges are fused
// into one sorter of three.
#pragma once
#include "gen/blocks/sort/network.h"
#include "gen/blocks/sort/zero_one.h"

namespace kumiki::gen::sort {

// n values in any order: trees of n - 1 sorters, each with one output in use.
Network minimum(int n);
Network maximum(int n);
// All of them in order, the smallest first. The fewest exchanges known for n from 2 to 9: 1, 3, 5,
// 9, 12, 16, 19, 25.
Network sorting(int n);
// The middle one of 3, 9 or 25: 3, 19 and 96 exchanges.
Network median(int n);

// The value of `rank` among the size x size pixels of a window (0: the smallest). Each column of
// pixels is sorted once, when it enters. Adjacent windows compute shared parts once.
struct WindowNetwork {
  Network column;  // `size` pixels to all their values in order, or to the extreme ones needed
  Network row;     // size + pixels - 1 columns as groups, one after the other; `pixels` outputs

  // The ranks that the outputs of the row must have, for the checker (zero_one.h).
  std::vector<Rank> ranks(int rank) const;
};
WindowNetwork window_rank(int size, int pixels, int rank);
WindowNetwork window_minimum(int size, int pixels);
WindowNetwork window_median(int size, int pixels);  // size odd
WindowNetwork window_maximum(int size, int pixels);

}  // namespace kumiki::gen::sort
