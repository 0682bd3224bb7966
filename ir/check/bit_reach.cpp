// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "ir/check/loops.h"

namespace kumiki::ir::checking {

const std::vector<BitReach::InputBits>& BitReach::ports(const Module& m) {
  if (auto it = known_.find(m.id()); it != known_.end()) return it->second;
  std::vector<InputBits> all;
  for (Net n : k_.facts(m).outputs) all.push_back(inputs_of(m, n));
  return known_.emplace(m.id(), std::move(all)).first->second;
}

BitReach::InputBits BitReach::inputs_of(const Module& m, Net output) {
  const Facts& f = k_.facts(m);
  InputBits bits;
  std::vector<Net> open{output};
  std::unordered_set<std::uint32_t> seen{output.index};
  while (!open.empty()) {
    Net n = open.back();
    open.pop_back();
    Driver d = n.index < f.driver.size() ? f.driver[n.index] : Driver();
    if (d.is_input()) bits.push_back(d.input_bit());
    if (!d.is_cell()) continue;
    const Cell& c = m.cells()[d.cell()];
    auto nets = m.inputs(c);
    for_each(m, c, n.index - c.out.index, [&](std::uint32_t i) {
      if (seen.insert(nets[i].index).second) open.push_back(nets[i]);
    });
  }
  std::sort(bits.begin(), bits.end());
  return bits;
}

void BitReach::list_hops(const Module& m, const Cell& c, std::uint32_t input, std::uint32_t output,
                         const std::string& path, std::string& lines) {
  lines += fmt::format("\n  {}: {}{}: {} to {}", path, cell_label(m, c), at(c.place),
                       input_label(m, c, input), output_label(m, c, output));
  if (c.kind != Kind::instance) return;
  auto name = m.cell_name({static_cast<std::uint32_t>(&c - m.cells().data())});
  auto step = name.value != 0 ? std::string(m.design().text(name)) : net_label(m, c.out);
  list_inside(m.design().module({c.params}), input, output, path + "/" + step, lines);
}

void BitReach::list_inside(const Module& m, std::uint32_t input, std::uint32_t output,
                           const std::string& path, std::string& lines) {
  const Facts& f = k_.facts(m);
  struct Hop {
    Net to;
    std::uint32_t input, output;
  };
  std::unordered_map<std::uint32_t, Hop> hop;  // by the net read
  std::vector<Net> queue{f.outputs[output]};
  hop.emplace(queue[0].index, Hop{net_open, 0, 0});
  for (std::size_t i = 0; i < queue.size(); ++i) {
    Net n = queue[i];
    Driver d = n.index < f.driver.size() ? f.driver[n.index] : Driver();
    if (d == Driver::of_input(input)) {
      for (Hop h = hop.at(n.index); h.to != net_open; h = hop.at(h.to.index))
        list_hops(m, m.cells()[f.driver[h.to.index].cell()], h.input, h.output, path, lines);
      return;
    }
    if (!d.is_cell()) continue;
    const Cell& c = m.cells()[d.cell()];
    auto nets = m.inputs(c);
    auto out = n.index - c.out.index;
    for_each(m, c, out, [&](std::uint32_t in) {
      if (hop.emplace(nets[in].index, Hop{n, in, out}).second) queue.push_back(nets[in]);
    });
  }
}

}  // namespace kumiki::ir::checking
