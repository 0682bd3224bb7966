// SPDX-License-Identifier: Apache-2.0
#include "backends/timing/netlist.h"

namespace kumiki::backends::timing {

Netlist::Netlist(const ir::Design& design)
    : flat(native::flatten(design)),
      order(native::order(flat)),
      driver(flat.driver.size(), none),
      fan_out(flat.driver.size()),
      flops(flat.driver.size()) {
  for (std::uint32_t c = 0; c < flat.cells.size(); ++c) {
    const auto& scope = flat.scopes[flat.cells[c].scope];
    const ir::Module& m = flat.module(scope);
    const ir::Cell& one = m.cell(flat.cells[c].id);
    const std::uint32_t out = flat.output(flat.cells[c]);
    for (std::uint32_t o = 0; o < m.output_count(one); ++o) driver[out + o] = c;
    const auto inputs = m.inputs(one);
    const bool is_flop = native::is_flop(one.kind);
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      const std::uint32_t net = flat.driver_of(scope, inputs[i]);
      ++fan_out[net];
      // Pins: C, CE, then D of every element.
      if (is_flop && i >= 2 && i < 2 + one.width) ++flops[net];
    }
  }
  const ir::Module& top = design.top();
  for (const ir::Port& p : top.ports())
    if (p.direction == ir::Direction::output)
      for (ir::Net n : top.port_nets(p)) ++fan_out[flat.driver_of(flat.scopes[0], n)];
}

bool Netlist::is_fast(std::uint32_t c) const {
  if (flat.fast_clock == 0) return false;
  const auto clock = ir::clock_input(cell(c).kind, view(c));
  return clock && input(c, *clock) == flat.fast_clock;
}

bool Netlist::captures_in_half(std::uint32_t c) const {
  const ir::Crossing crossing = module(c).crossing(flat.cells[c].id);
  return is_fast(c) ? crossing != ir::Crossing::second : crossing == ir::Crossing::each;
}

}  // namespace kumiki::backends::timing
