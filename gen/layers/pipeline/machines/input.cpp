// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/input.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/hdl/hdl.h"
#include "gen/hdl/skid.h"

namespace kumiki::gen::pipeline {

std::string InputPlan::text() const {
  return fmt::format("{}x{}x{}, beats {} to {} of {}, {} lanes", map.channels, map.height,
                     map.width, first, first + map.beats() - 1, all.beats(), map.lanes);
}

std::string InputPlan::module_name() const {
  return fmt::format("input{}_{}_l{}", first, map.beats(), map.lanes);
}

MachineOut<Hardware> build(Scope& s, const InputPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const Selection selection = p.schedule();
  Reg<Net> is_own(s, {.init = selection.first == 0 ? 1u : 0u, .reset = in.rst});
  Skid exit(s, in.rst, s.net(in.in_valid[0] & is_own), in.out_ready);
  const Net takes = s.net(in.in_valid[0] & exit.ready());
  // The map begins behind the first of these beats and ends with the other one.
  std::vector<std::int64_t> edges{(selection.first + selection.of - 1) % selection.of,
                                  selection.first + selection.beats - 1};
  std::ranges::sort(edges);
  const Net is_edge = Cycle(s, selection.of, takes, in.rst).is_one_of(edges);
  is_own.next(is_own ^ (takes & is_edge));
  MachineOut<Hardware> out{.in_ready = {exit.ready()}, .out_valid = exit.valid(), .out_data = {}};
  for (const UInt& number : in.in_data)
    out.out_data.push_back(
        exit.pass(number.slice(0, static_cast<std::uint32_t>(p.map.format.bits))));
  return out;
}

Lanes beat(const InputPlan& p, std::int64_t k, const Taken& in) {
  Lanes own;
  for (const std::uint64_t raw : in.at(0, p.first + k))
    own.push_back(raw & ((std::uint64_t{1} << p.map.format.bits) - 1));
  return own;
}

}  // namespace kumiki::gen::pipeline
