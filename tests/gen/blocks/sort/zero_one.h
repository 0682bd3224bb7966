// SPDX-License-Identifier: Apache-2.0
// The 0-1 principle: a network of sorters commutes with every threshold. So a property that holds
// for all inputs of zeros and ones holds for all values. Sorted groups leave few such inputs: a
// sorted column of five has six.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/blocks/sort/networks.h"

namespace kumiki::gen::sort {

// The required value of an output: the value of this rank (0: the smallest) among all values of
// some groups.
struct Rank {
  std::vector<int> groups;
  int rank = 0;
};

// The ranks that the outputs of the row of windows must have.
std::vector<Rank> ranks(const WindowNetwork& windows, int rank);

// Tries all inputs, 64 at a time. Returns "" if every output has its rank. Otherwise it names the
// first wrong output and an input that shows it.
std::string wrong_output(const Network& network, const std::vector<Rank>& ranks);

}  // namespace kumiki::gen::sort
