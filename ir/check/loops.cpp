// SPDX-License-Identifier: Apache-2.0
// Finds combinational loops. In most modules every cell reads earlier cells only, so there is no
// loop. The check of the pins detects that, and then nothing is done here. Otherwise this searches
// for cyclic components of cells, and inside those for cyclic components of nets, by the exact
// reach of every bit.
#include "ir/check/loops.h"

#include <algorithm>
#include <map>
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
    for (const Loop& loop : loops_) complain(loop);
    if (f_.is_placed) find_through();
  }

 private:
  struct Loop {
    std::vector<Net> nets;
    std::uint32_t bits;  // loops of single bits counted as this one
  };

  // Edges from every cell to the drivers of what it reads without a register.
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
    for (auto& loop : cyclic_components(g)) note(shortest_cycle(g, loop[0]));
  }

  // If the bits of a word loop through the same source lines, they are one mistake and reported
  // once.
  void note(const std::vector<std::uint32_t>& cycle) {
    std::vector<std::uint32_t> places;
    std::vector<Net> nets;
    for (const std::uint32_t node : cycle) {
      const Cell& c = driver_of(nets_[node]);
      places.push_back(static_cast<std::uint32_t>(c.kind));
      places.push_back(c.kind == Kind::instance ? c.params : c.place.index);
      nets.push_back(nets_[node]);
    }
    std::sort(places.begin(), places.end());
    const auto [known, fresh] = loop_at_.emplace(std::move(places), loops_.size());
    if (fresh)
      loops_.push_back({std::move(nets), 1});
    else
      ++loops_[known->second].bits;
  }

  const Cell& driver_of(Net n) const { return m_.cells()[f_.driver[n.index].cell()]; }

  // The cycle runs against the signal: each net is driven by a cell that reads the next one.
  void complain(const Loop& loop) {
    if (!k_.report().wants(code::loop)) return;
    const auto& cycle = loop.nets;
    std::string lines;
    for (std::size_t i = cycle.size(); i-- > 0;) {
      Net out = cycle[i], in = cycle[(i + 1) % cycle.size()];
      const Cell& c = driver_of(out);
      auto inputs = m_.inputs(c);
      auto output = out.index - c.out.index, input = ~0u;
      reach_.for_each(m_, c, output, [&](std::uint32_t b) {
        if (inputs[b] == in && input == ~0u) input = b;
      });
      reach_.list_hops(m_, c, input, output, bare_or_quoted(m_.name()), lines);
    }
    k_.report().add(
        code::loop, m_, driver_of(cycle.back()).place,
        fmt::format("combinational loop through {} {}{}; signals run{}", cycle.size(),
                    cycle.size() == 1 ? "cell" : "cells",
                    loop.bits == 1 ? "" : fmt::format(", in {} bits or copies", loop.bits), lines));
  }

  // Finds input bits that reach some output, if every input of a cell reaches all its outputs.
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
  std::vector<Loop> loops_;
  std::map<std::vector<std::uint32_t>, std::size_t> loop_at_;  // in loops_; key: kinds and places
  BitReach reach_;
  std::vector<Net> nets_;  // of the component looked at
};

}  // namespace

void check_loops(Checker& k, const Module& m) { LoopCheck(k, m).run(); }

}  // namespace kumiki::ir::checking
