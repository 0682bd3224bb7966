// SPDX-License-Identifier: Apache-2.0
// The clock of every comparison, exchange and wait of a sort. Build and cost both use it.
#pragma once
#include <map>
#include <set>

#include "gen/blocks/sort/sort.h"

namespace kumiki::gen::sort {

struct Comparison {
  int a, b;  // wires, a < b
  friend auto operator<=>(const Comparison&, const Comparison&) = default;
};

struct Schedule {
  std::vector<int> layer;                            // of every sorter
  std::vector<std::vector<Comparison>> comparisons;  // of every layer, each pair once
  // Clocks at which a wire is available and at which it is read, ascending.
  std::vector<int> available;
  std::vector<std::set<int>> uses;
  int latency = 0;

  int layers() const { return static_cast<int>(comparisons.size()); }
};

// For the form of the plan: clocks from the operands of a layer to its exchange, and to the next
// layer.
int comparison_clocks(const SortPlan& plan);  // 0: in the clock of the exchange
int layer_clocks(const SortPlan& plan);

Schedule schedule(const SortPlan& plan, std::vector<int> layer);
Schedule schedule(const SortPlan& plan);  // of layers(plan)

int flip_flops(const SortPlan& plan, const Schedule& schedule);  // of all bits of a lane
int slices(const SortPlan& plan, const Schedule& schedule);      // of all lanes

}  // namespace kumiki::gen::sort
