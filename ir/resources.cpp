// SPDX-License-Identifier: Apache-2.0
#include "ir/resources.h"

#include "ir/primitives/carry.h"

namespace kumiki::ir {
namespace {

void add(Cost& sum, const Cost& one, std::uint64_t times) {
  auto n = static_cast<std::uint32_t>(times);
  sum += {one.luts * n,  one.lut_rams * n, one.ffs * n,       one.carry_bits * n,
          one.muxes * n, one.dsps * n,     one.brams_18k * n, one.urams * n};
}

}  // namespace

std::uint32_t feeds(const Module& m) {
  // For every net: the LUT (or shift register in a LUT) whose first output drives it, and whether
  // it is read.
  constexpr std::uint32_t nobody = ~0u;
  std::vector<std::uint32_t> lut(m.net_count(), nobody);
  std::vector<bool> read(m.net_count());
  std::uint32_t luts = 0, count = 0;
  for (const Cell& c : m.cells()) {
    if (!is_lut(c.kind) && c.kind != Kind::srl16e && c.kind != Kind::srlc32e) continue;
    for (std::uint32_t e = 0; e < c.width; ++e) lut[c.out.index + e] = luts++;
  }
  for (Net n : m.all_inputs()) read[n.index] = true;
  for (const Port& p : m.ports())
    if (p.direction == Direction::output)
      for (Net n : m.port_nets(p)) read[n.index] = true;
  std::vector<bool> has_position(luts);
  const auto take = [&](Net n) {
    const std::uint32_t by = lut[n.index];
    if (by != nobody && !has_position[by])
      has_position[by] = true;
    else
      ++count;
  };
  for (const Cell& c : m.cells()) {
    const auto in = m.inputs(c);
    if (c.kind == Kind::muxf7)
      for (std::uint32_t i = 0; i < 2 * c.width; ++i) take(in[i]);
    if (c.kind != Kind::carry4 && c.kind != Kind::carry8) continue;
    const CarryShape shape(c.kind, m.view(c));
    const auto is_read = [&](std::uint32_t o) { return read[c.out.index + o]; };
    for (std::uint32_t first = 0; first < shape.positions; first += shape.chain)
      for (std::uint32_t i = first; i < first + shape.height(first, is_read); ++i)
        take(in[shape.s() + i]);
  }
  return count;
}

Cost own_cost(const Module& m) {
  Cost sum;
  for (const Cell& c : m.cells())
    if (c.kind != Kind::instance) sum += prototype(c.kind).cost(m.view(c));
  sum.luts += feeds(m);
  return sum;
}

Resources count_resources(const Design& design) {
  Resources all;
  const auto order = design.bottom_up();
  std::vector<std::uint64_t> places(design.module_count(), 0);
  places[design.top_id().value] = 1;
  // Parents before children, so that all places of a module are known before its instances are
  // counted.
  for (auto id = order.rbegin(); id != order.rend(); ++id)
    for (const Cell& c : design.module(*id).cells())
      if (c.kind == Kind::instance) places[c.params] += places[id->value];
  for (ModuleId id : order) {
    const Module& m = design.module(id);
    ModuleCost cost{
        .module = std::string(m.name()), .places = places[id.value], .own = own_cost(m)};
    for (const Cell& c : m.cells())
      if (c.kind != Kind::instance)
        all.cells[std::string(prototype(c.kind).name)] += c.width * cost.places;
    add(all.total, cost.own, cost.places);
    all.modules.push_back(std::move(cost));
  }
  return all;
}

}  // namespace kumiki::ir
