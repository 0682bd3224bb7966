// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/timing.h"

#include <algorithm>

namespace kumiki::gen::compressor {
namespace {

void add_level(Timing& t, unsigned positions) {
  t.picoseconds += DelayModel::lut;
  if (positions > 0) t.picoseconds += DelayModel::chain + positions * DelayModel::position;
}

}  // namespace

Timing estimate(const TreePlan& plan) {
  Timing t;
  const Audit a = audit(plan);
  for (const Stage& stage : plan.stages) {
    unsigned positions = 0;
    for (const Chain& c : stage.chains)
      positions = std::max(positions,
                           c.width() + (c.entry == Entry::lead) + !(c.is_open || plan.free_exits));
    if (!stage.counters.empty() || positions > 0) add_level(t, positions);
  }
  if (a.finish_luts > 0) add_level(t, a.finish_positions);
  return t;
}

}  // namespace kumiki::gen::compressor
