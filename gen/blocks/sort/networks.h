// SPDX-License-Identifier: Apache-2.0
// The networks of rank filters. The counts below are exchanges, before three exchanges are fused
// into one sorter of three.
#pragma once
#include "gen/blocks/sort/network.h"

namespace kumiki::gen::sort {

// n values in order, the smallest first. The fewest exchanges known for n from 2 to 9: 1, 3, 5,
// 9, 12, 16, 19, 25.
Network sorting(int n);

// The value of `rank` among the size x size pixels of a window (0: the smallest). Each column of
// pixels is sorted once, when it enters. Adjacent windows compute shared parts once.
struct WindowNetwork {
  Network column;  // `size` pixels to all their values in order, or to the extreme ones needed
  Network row;     // size + pixels - 1 columns as groups, one after the other; `pixels` outputs
};
WindowNetwork window_rank(int size, int pixels, int rank);

}  // namespace kumiki::gen::sort
