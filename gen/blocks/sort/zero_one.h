// SPDX-License-Identifier: Apache-2.0
// The 0-1 principle: a network of sorters commutes with every threshold, so what holds for all
// inputs of zeros and ones holds for all values. Sorted groups leave few such inputs: a sorted
// column of five is one of six.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/blocks/sort/network.h"

namespace kumiki::gen::sort {

// What an output has to be: the value of this rank (0: the smallest) among all values of some
// groups.
struct Rank {
  std::vector<int> groups;
  int rank = 0;
};

// All inputs of zeros and ones in which the groups are sorted.
std::uint64_t zero_one_inputs(const Network& network);

// Tries all inputs, 64 at a time. "" when every output has its rank; else the first output with a
// wrong one, and the input that shows it.
std::string wrong_output(const Network& network, const std::vector<Rank>& ranks);

}  // namespace kumiki::gen::sort
