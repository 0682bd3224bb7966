// SPDX-License-Identifier: Apache-2.0
// Graphs as flat arrays, with the two algorithms that the search for loops needs.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace kumiki::ir::checking {

// Nodes are made in order: add_edge for the current node, then end_node.
class Graph {
 public:
  void add_edge(std::uint32_t to) { to_.push_back(to); }
  void end_node() { start_.push_back(static_cast<std::uint32_t>(to_.size())); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(start_.size() - 1); }
  std::span<const std::uint32_t> edges(std::uint32_t node) const {
    return std::span(to_).subspan(start_[node], start_[node + 1] - start_[node]);
  }

 private:
  std::vector<std::uint32_t> start_{0}, to_;
};

// The strongly connected components that contain a cycle; nodes and components are in ascending
// order.
std::vector<std::vector<std::uint32_t>> cyclic_components(const Graph& graph);

// A shortest cycle through a node of such a component, beginning with the node.
std::vector<std::uint32_t> shortest_cycle(const Graph& graph, std::uint32_t node);

}  // namespace kumiki::ir::checking
