// SPDX-License-Identifier: Apache-2.0
#include "ir/resources.h"

#include <algorithm>

namespace kumiki::ir {
namespace {

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

void add(Cost& sum, const Cost& one, std::uint64_t times) {
  auto n = static_cast<std::uint32_t>(times);
  sum += {one.luts * n,  one.lut_rams * n, one.ffs * n,      one.carry_bits * n,
          one.muxes * n, one.dsps * n,     one.brams_18k * n};
}

}  // namespace

std::uint64_t dense_slices(Family family, const Cost& cost) {
  const bool old = family == Family::series7;
  const unsigned luts = old ? 4 : 8, ffs = old ? 8 : 16, carries = old ? 4 : 8;
  return std::max({ceil_div(std::uint64_t{cost.luts} + cost.lut_rams, luts),
                   ceil_div(cost.ffs, ffs), ceil_div(cost.carry_bits, carries)});
}

Resources count_resources(const Design& design) {
  Resources all;
  const auto order = design.bottom_up();
  std::vector<std::uint64_t> places(design.module_count(), 0);
  places[design.top_id().value] = 1;
  // Parents before children, so that every place of a module is known when its instances are met.
  for (auto id = order.rbegin(); id != order.rend(); ++id)
    for (const Cell& c : design.module(*id).cells())
      if (c.kind == Kind::instance) places[c.params] += places[id->value];
  for (ModuleId id : order) {
    const Module& m = design.module(id);
    ModuleCost cost{.module = std::string(m.name()), .places = places[id.value]};
    for (const Cell& c : m.cells()) {
      if (c.kind == Kind::instance) continue;
      const Prototype& p = prototype(c.kind);
      cost.own += p.cost(m.view(c));
      all.cells[std::string(p.name)] += c.width * cost.places;
    }
    add(all.total, cost.own, cost.places);
    all.modules.push_back(std::move(cost));
  }
  all.slices = dense_slices(design.family(), all.total);
  return all;
}

}  // namespace kumiki::ir
