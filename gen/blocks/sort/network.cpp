// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/sort/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "gen/blocks/sort/messages.h"
#include "gen/hdl/messages.h"
#include "ir/error.h"

namespace kumiki::gen::sort {

int Network::inputs() const { return std::accumulate(groups.begin(), groups.end(), 0); }

Wiring::Wiring(std::vector<int> groups) {
  for (const int size : groups)
    if (size < 1)
      throw DesignError(code::too_few, fmt::format("a group of {} inputs: at least 1", size));
  network_.groups = std::move(groups);
  network_.wires = network_.inputs();
}

int Wiring::input(int group, int rank) const {
  const auto& g = network_.groups;
  if (group < 0 || group >= static_cast<int>(g.size()) || rank < 0 || rank >= g[group])
    throw DesignError(code::no_such_wire,
                      fmt::format("input {} of group {}: there is none", rank, group));
  return std::accumulate(g.begin(), g.begin() + group, 0) + rank;
}

std::pair<int, int> Wiring::order(int a, int b) {
  const std::vector<int> out = order(std::vector<int>{a, b});
  return {out[0], out[1]};
}

std::vector<int> Wiring::order(std::vector<int> in) {
  std::sort(in.begin(), in.end());
  for (const int wire : in)
    if (wire < 0 || wire >= network_.wires)
      throw DesignError(code::no_such_wire,
                        fmt::format("there is no wire {} of {}", wire, network_.wires));
  if (in.size() < 2 || in.size() > 3 || std::adjacent_find(in.begin(), in.end()) != in.end())
    throw DesignError(code::no_such_wire, "a sorter has two or three different wires");
  const auto [at, is_new] = known_.emplace(in, network_.sorters.size());
  if (!is_new) return network_.sorters[at->second].out;
  std::vector<int> out(in.size());
  std::iota(out.begin(), out.end(), network_.wires);
  network_.wires += static_cast<int>(in.size());
  network_.sorters.push_back({std::move(in), out});
  return out;
}

Network Wiring::finish(std::vector<int> outputs) const {
  Network n = network_;
  n.outputs = std::move(outputs);
  return pruned(std::move(n));
}

Network in_place(std::vector<int> groups, const std::vector<Exchange>& exchanges,
                 const std::vector<int>& outputs) {
  Wiring wiring(std::move(groups));
  std::vector<int> now(Network(wiring.finish({})).inputs());
  std::iota(now.begin(), now.end(), 0);
  for (const Exchange& e : exchanges)
    std::tie(now.at(e.low), now.at(e.high)) = wiring.order(now.at(e.low), now.at(e.high));
  std::vector<int> out;
  for (const int o : outputs) out.push_back(now.at(o));
  return wiring.finish(out);
}

namespace {

// Numbers wires in the order of their drivers, without gaps, so that equal networks are equal
// values.
void renumber(Network& n) {
  std::vector<int> number(n.wires, unused);
  n.wires = n.inputs();
  std::iota(number.begin(), number.begin() + n.wires, 0);
  for (Sorter& s : n.sorters) {
    for (int& wire : s.in) wire = number[wire];
    std::sort(s.in.begin(), s.in.end());
    for (int& wire : s.out)
      if (wire != unused) wire = number[wire] = n.wires++;
  }
  for (int& wire : n.outputs) wire = number[wire];
}

}  // namespace

Network pruned(Network n) {
  std::vector<char> live(n.wires, 0);
  for (const int wire : n.outputs) {
    if (wire < 0 || wire >= n.wires)
      throw DesignError(
          code::no_such_wire,
          fmt::format("an output is on wire {} of {}, which does not exist", wire, n.wires));
    live[wire] = 1;
  }
  for (auto s = n.sorters.rbegin(); s != n.sorters.rend(); ++s) {
    bool any = false;
    for (int& wire : s->out) {
      if (wire == unused || !live[wire]) wire = unused;
      any |= wire != unused;
    }
    if (any)
      for (const int wire : s->in) live[wire] = 1;
    else
      s->in.clear();
  }
  std::erase_if(n.sorters, [](const Sorter& s) { return s.in.empty(); });
  renumber(n);
  return n;
}

int half_luts(const Sorter& s) {
  const auto used = std::count_if(s.out.begin(), s.out.end(), [](int w) { return w != unused; });
  return static_cast<int>(used) * (s.in.size() == 3 ? 2 : 1);
}

int depth(const Network& n) {
  std::vector<int> at(n.wires, 0);
  int deepest = 0;
  for (const Sorter& s : n.sorters) {
    int start = 0;
    for (const int wire : s.in) start = std::max(start, at[wire]);
    for (const int wire : s.out)
      if (wire != unused) at[wire] = start + 1;
    deepest = std::max(deepest, start + 1);
  }
  return deepest;
}

std::vector<std::int64_t> sorted(const Network& n, const std::vector<std::int64_t>& inputs) {
  if (static_cast<int>(inputs.size()) != n.inputs())
    throw DesignError(code::wrong_count, fmt::format("{} values for a network of {} inputs",
                                                     inputs.size(), n.inputs()));
  std::vector<std::int64_t> value = inputs;
  value.resize(n.wires);
  for (const Sorter& s : n.sorters) {
    std::vector<std::int64_t> some;
    for (const int wire : s.in) some.push_back(value[wire]);
    std::sort(some.begin(), some.end());
    for (std::size_t i = 0; i < some.size(); ++i)
      if (s.out[i] != unused) value[s.out[i]] = some[i];
  }
  std::vector<std::int64_t> out;
  for (const int wire : n.outputs) out.push_back(value[wire]);
  return out;
}

}  // namespace kumiki::gen::sort
