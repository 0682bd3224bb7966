// SPDX-License-Identifier: Apache-2.0
// The network of a matrix: the smallest one that a few ways of sharing and random changes find.
#pragma once
#include <optional>
#include <vector>

#include "gen/arith/format.h"
#include "gen/blocks/const_matrix/network.h"
#include "gen/blocks/const_matrix/share.h"
#include "gen/blocks/const_matrix/tree.h"

namespace kumiki::gen::const_matrix {

struct Task {
  std::vector<Factors> rows;  // a row an output, a factor an input
  arith::Format input;
  int levels = 3;              // of LUTs and chains between registers; 0: no registers
  std::optional<int> latency;  // upper bound
  unsigned effort = 1;
  // No chain of three operands: it requires a register behind it, and the shortest latencies leave
  // no room for that.
  bool pairs = false;
  bool operator==(const Task&) const = default;
};

struct Solution {
  Network network;
  Sharing sharing;  // by which the network was found
  int digits = 0;   // non-zero digits of all factors
  int tried = 0;    // networks tried
  bool operator==(const Solution&) const = default;
};

// Throws DesignError if an output has more bits.
constexpr int most_output_bits = 62;
void require_narrow(const Task& task);

// Empty if no network has so short a latency. Throws like `require_narrow`.
std::optional<Solution> solve(const Task& task);

// The shortest latency for which `solve` finds a network.
int shortest_latency(const Task& task);

}  // namespace kumiki::gen::const_matrix
