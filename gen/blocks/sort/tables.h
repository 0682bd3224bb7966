// SPDX-License-Identifier: Apache-2.0
// Lists of exchanges. Tests check each list by the 0-1 principle.
#pragma once
#include "gen/blocks/sort/network.h"

namespace kumiki::gen::sort::tables {

// Sorts n values, n from 1 to `longest_sorting`; wire 0 is the smallest.
inline constexpr int longest_sorting = 9;
const std::vector<Exchange>& sorting(int n);

// The median of five sorted columns of five: wire 5 * column + rank.
const std::vector<Exchange>& median();
extern const int median_output;
// The same with few exchanges that depend on the last column: two windows share the others.
const std::vector<Exchange>& median_of_pairs();
extern const int median_of_pairs_output;

}  // namespace kumiki::gen::sort::tables
