// SPDX-License-Identifier: Apache-2.0
// Transposes at the ends of a graph. No unit does them: a host writes and reads the numbers of a
// map in its own order.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gen/graph/graph.h"

namespace kumiki::gen::engine {

// How a host has the numbers of a map: axis i of the map is axis `axes[i]` of the host's array.
struct HostOrder {
  std::array<int, 3> axes{0, 1, 2};
  // Of the host's array.
  graph::Shape shape(const graph::Shape& map) const;
  // Where it has number `index` of the map.
  std::size_t place(const graph::Shape& map, std::size_t index) const;
  // The numbers of a map from those of a host, and back.
  graph::Numbers to_map(const graph::Shape& map, std::span<const std::int32_t> numbers) const;
  graph::Numbers to_host(const graph::Shape& map, std::span<const std::int32_t> numbers) const;
  friend bool operator==(const HostOrder&, const HostOrder&) = default;
};

struct WithoutEnds {
  graph::Graph graph;
  std::vector<HostOrder> inputs, outputs;  // in order
};
// Of a graph of maps. Transposes remain where their order is not one of the axes of a map, or where
// something else reads the tensor, too.
WithoutEnds without_end_transposes(const graph::Graph& graph);

}  // namespace kumiki::gen::engine
