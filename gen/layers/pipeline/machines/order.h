// SPDX-License-Identifier: Apache-2.0
// What a node does that moves numbers and puts a constant around them, whatever its pace.
#pragma once
#include <vector>

#include "gen/layers/pipeline/machines/pad.h"
#include "gen/layers/pipeline/machines/reorder.h"

namespace kumiki::gen::pipeline {

struct Order {
  // From one lane on; each takes fewer clocks than all before it. Empty: the numbers of the map
  // stay in their order.
  std::vector<ReorderPlan> plans;
  Border border;  // around the map in its new order
};

// NoMachine.
Order order_of(const graph::Graph& graph, const graph::Node& node, const Sources& sources);

}  // namespace kumiki::gen::pipeline
