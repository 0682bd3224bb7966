// SPDX-License-Identifier: Apache-2.0
// Combinational loops. Most modules are in an order that excludes them (every cell reads earlier
// cells): that was seen while the pins were read and costs nothing here. Else components of cells,
// and inside those that are cyclic components of nets, by the exact reach of every bit.
#include "ir/check/loops.h"

#include <unordered_map>

#include <fmt/format.h>

#include "ir/check/graph.h"

namespace kumiki::ir::checking {
namespace {

class LoopCheck {
 public:
  LoopCheck(Checker& k, const Module& m) : k_(k), m_(m), f_(k.facts(m)), reach_(k) {}

  void run() {
    if (f_.back_edges)
      for (auto& cells : cyclic_components(graph_of_cells())) look_closer(cells);
    if (f_.is_placed) find_through();
  }

 private:
  // From every cell to the drivers of what it reads without a register.
  Graph graph_of_cells() {
    Graph g;
    for (const Cell& c : m_.cells()) {
      for_each_through_input(k_, m_, c, [&](Net n) {
        if (n.index < f_.driver.size() && f_.driver[n.index].is_cell())
          g.add_edge(f_.driver[n.index].cell());
      });
      g.end_node();
    }
    return g;
  }

  void look_closer(const std::vector<std::uint32_t>& cells) {
    nets_.clear();
    std::unordered_map<std::uint32_t, std::uint32_t> node_of;
    for (std::uint32_t i : cells) {
      const Cell& c = m_.cells()[i];
      for (std::uint32_t o = 0; o < m_.output_count(c); ++o) {
        Net n{c.out.index + o};
        if (f_.driver[n.index] == Driver::of_cell(i) &&
            node_of.emplace(n.index, nets_.size()).second)
          nets_.push_back(n);
      }
    }
    Graph g;
    for (Net n : nets_) {
      const Cell& c = driver_of(n);
      auto inputs = m_.inputs(c);
      reach_.for_each(m_, c, n.index - c.out.index, [&](std::uint32_t i) {
        if (auto it = node_of.find(inputs[i].index); it != node_of.end()) g.add_edge(it->second);
      });
      g.end_node();
    }
    for (auto& loop : cyclic_components(g))
      if (k_.report().wants(Code::loop)) complain(shortest_cycle(g, loop[0]));
  }

  const Cell& driver_of(Net n) const { return m_.cells()[f_.driver[n.index].cell()]; }

  // The cycle runs against the signal: each node is driven by a cell that reads the next.
  void complain(const std::vector<std::uint32_t>& cycle) {
    std::string lines;
    for (std::size_t i = cycle.size(); i-- > 0;) {
      Net out = nets_[cycle[i]], in = nets_[cycle[(i + 1) % cycle.size()]];
      const Cell& c = driver_of(out);
      auto inputs = m_.inputs(c);
      auto output = out.index - c.out.index, input = ~0u;
      reach_.for_each(m_, c, output, [&](std::uint32_t b) {
        if (inputs[b] == in && input == ~0u) input = b;
      });
      reach_.list_hops(m_, c, input, output, bare_or_quoted(m_.name()), lines);
    }
    k_.report().add(Code::loop, m_, driver_of(nets_[cycle.back()]).place,
                    fmt::format("combinational loop through {} {}; signals run{}", cycle.size(),
                                cycle.size() == 1 ? "cell" : "cells", lines));
  }

  // Input bits that reach some output, cells judged as wholes.
  void find_through() {
    f_.through.assign(f_.inputs.size(), 0);
    std::vector<std::uint8_t> seen(m_.cells().size());
    std::vector<std::uint32_t> open;
    auto visit = [&](Net n) {
      if (n.index >= f_.driver.size()) return;
      Driver d = f_.driver[n.index];
      if (d.is_input()) {
        f_.through[d.input_bit()] = 1;
        f_.is_through = true;
      }
      if (!d.is_cell() || seen[d.cell()]) return;
      seen[d.cell()] = 1;
      open.push_back(d.cell());
    };
    for (Net n : f_.outputs) visit(n);
    while (!open.empty()) {
      const Cell& c = m_.cells()[open.back()];
      open.pop_back();
      for_each_through_input(k_, m_, c, visit);
    }
  }

  Checker& k_;
  const Module& m_;
  Facts& f_;
  BitReach reach_;
  std::vector<Net> nets_;  // of the component looked at
};

}  // namespace

void check_loops(Checker& k, const Module& m) { LoopCheck(k, m).run(); }

}  // namespace kumiki::ir::checking
