// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/timing.h"

#include <algorithm>

#include "gen/blocks/compressor/netlist_delay.h"
#include "ir/delays.h"

namespace kumiki::gen::compressor {
namespace {

void add_level(Timing& t, const DelayModel& m, unsigned positions) {
  t.picoseconds += m.lut;
  if (positions > 0) t.picoseconds += m.chain + positions * m.position;
}

}  // namespace

DelayModel DelayModel::of(ir::Family family) {
  // Values of an average part, with which the shipped trees were planned. The table of delays has
  // 824, 670 and 28 for a slow part, nearly the same ratio.
  if (family == ir::Family::series7) return {.lut = 800, .chain = 600, .position = 28};
  constexpr double readers = 3;  // of a bit: the LUTs of a counter of six
  const ir::timing::Delays d = ir::timing::delays(family, {});
  const auto sum = [](auto... parts) { return static_cast<unsigned>((parts + ...)); };
  return {.lut = sum(d.lut, d.wire.through_fabric(readers)),
          .chain = sum(d.wire.beside, d.carry_entry, d.carry_exit),
          .position = sum(d.carry_position)};
}

Timing estimate(const TreePlan& plan, ir::Family family) {
  if (!plan.free_exits) return {static_cast<unsigned>(netlist_delay(plan, family))};
  const DelayModel model = DelayModel::of(family);
  Timing t;
  const Audit a = audit(plan);
  for (const Stage& stage : plan.stages) {
    unsigned positions = 0;
    for (const Chain& c : stage.chains)
      positions = std::max(positions,
                           c.width() + (c.entry == Entry::lead) + !(c.is_open || plan.free_exits));
    if (!stage.counters.empty() || positions > 0) add_level(t, model, positions);
  }
  if (a.finish_luts > 0) add_level(t, model, a.finish_positions);
  return t;
}

}  // namespace kumiki::gen::compressor
