// SPDX-License-Identifier: Apache-2.0
// Fewer transposes: tables, sums and products of numbers do not look at axes, so they work in any
// order of the numbers. A region of such nodes takes the order with the fewest transposes around
// it.
#pragma once
#include <cstdint>

#include "gen/graph/graph.h"

namespace kumiki::gen::graph {

// Whether a node computes each number of its result from those at the same place of its inputs, by
// one rule for all.
bool works_by_number(const Graph& graph, const Node& node);

// Inputs and outputs keep their tensors. Of the others some may be left that no node makes or
// reads.
enum class EndTransposes : std::uint8_t {
  count,        // as all others
  hardly_count  // a host writes and reads numbers in any order
};
void simplify_transposes(Graph& graph, EndTransposes at_ends = EndTransposes::count);

// Moves transposes behind the picks and concats that read them, which then take other axes.
void put_transposes_last(Graph& graph);

}  // namespace kumiki::gen::graph
