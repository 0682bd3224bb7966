// SPDX-License-Identifier: Apache-2.0
// The network of a matrix: the smallest one that a few ways of sharing give.
#pragma once
#include <optional>
#include <vector>

#include "gen/arith/format.h"
#include "gen/blocks/const_matrix/network.h"
#include "gen/blocks/const_matrix/share.h"
#include "gen/blocks/const_matrix/tree.h"

namespace kumiki::gen::const_matrix {

struct Task {
  std::vector<Factors> rows;  // an output each, a factor an input
  arith::Format input;
  int levels = 3;              // of LUTs and chains between registers; 0: no registers
  std::optional<int> latency;  // at most
  unsigned effort = 1;
  // No chain of three, which wants a register behind it: they do not keep the shortest latencies.
  bool pairs = false;
  bool operator==(const Task&) const = default;
};

struct Solution {
  Network network;
  Sharing sharing;  // that gave it
  int digits = 0;   // that are not 0 of all factors
  int tried = 0;    // networks
  bool operator==(const Solution&) const = default;
};

// Throws DesignError for an output of more bits.
constexpr int most_output_bits = 62;
void require_narrow(const Task& task);

// Nothing where no network has so short a latency. Throws as `require_narrow` does.
std::optional<Solution> solve(const Task& task);

// The shortest latency that `solve` finds a network for.
int shortest_latency(const Task& task);

}  // namespace kumiki::gen::const_matrix
