// SPDX-License-Identifier: Apache-2.0
#include "ir/check/graph.h"

#include <algorithm>

namespace kumiki::ir::checking {
namespace {

// Tarjan's algorithm without recursion, because paths may be a million nodes long.
class Components {
 public:
  explicit Components(const Graph& g) : g_(g), order_(g.size(), 0), low_(g.size(), 0) {}

  std::vector<std::vector<std::uint32_t>> run() {
    for (std::uint32_t n = 0; n < g_.size(); ++n)
      if (order_[n] == 0) search(n);
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  struct Frame {
    std::uint32_t node, edge;
  };

  void enter(std::uint32_t node) {
    order_[node] = low_[node] = ++count_;
    open_.push_back(node);
    frames_.push_back({node, 0});
  }

  void search(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& f = frames_.back();
      auto edges = g_.edges(f.node);
      if (f.edge < edges.size()) {
        auto to = edges[f.edge++];
        if (order_[to] == 0)
          enter(to);
        else if (order_[to] != closed)
          low_[f.node] = std::min(low_[f.node], order_[to]);
        continue;
      }
      auto node = f.node;
      frames_.pop_back();
      if (!frames_.empty())
        low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[node]);
      if (low_[node] == order_[node]) close(node);
    }
  }

  void close(std::uint32_t node) {
    auto begin = std::find(open_.rbegin(), open_.rend(), node).base() - 1;
    auto edges = g_.edges(node);
    bool cyclic = open_.end() - begin > 1 || std::ranges::find(edges, node) != edges.end();
    for (auto it = begin; it != open_.end(); ++it) order_[*it] = closed;
    if (cyclic) {
      found_.emplace_back(begin, open_.end());
      std::sort(found_.back().begin(), found_.back().end());
    }
    open_.erase(begin, open_.end());
  }

  static constexpr std::uint32_t closed = 0xffff'ffff;  // its component is complete
  const Graph& g_;
  std::vector<std::uint32_t> order_, low_, open_;
  std::vector<Frame> frames_;
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::uint32_t>> found_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> cyclic_components(const Graph& graph) {
  return Components(graph).run();
}

std::vector<std::uint32_t> shortest_cycle(const Graph& graph, std::uint32_t node) {
  constexpr std::uint32_t unseen = 0xffff'ffff;
  std::vector<std::uint32_t> before(graph.size(), unseen), queue{node};
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (std::uint32_t to : graph.edges(queue[i])) {
      if (to == node) {
        std::vector<std::uint32_t> cycle{queue[i]};
        while (cycle.back() != node) cycle.push_back(before[cycle.back()]);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (before[to] != unseen) continue;
      before[to] = queue[i];
      queue.push_back(to);
    }
  return {};
}

}  // namespace kumiki::ir::checking
