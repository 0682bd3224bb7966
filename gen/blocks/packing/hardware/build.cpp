// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/build.h"

#include <algorithm>

#include "gen/blocks/packing/hardware/carries.h"
#include "gen/blocks/packing/hardware/counters.h"
#include "gen/blocks/packing/hardware/results.h"

namespace kumiki::gen::packing {
namespace {

// Delays every slot to the time of its slice. Sets missing operands to 0 if clearing the product is
// not enough because a centre would make their product nonzero.
OperandNets at_their_slices(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                            std::vector<Net>& no_term, Skew skew, Net enable) {
  OperandNets all = operands;
  const bool clear = !masks_products(plan);
  for (const Slice& slice : plan.slices) {
    if (slice.term < 0) continue;
    const auto slot = static_cast<std::size_t>(slice.term);
    const auto wait = static_cast<std::uint32_t>(arrival(plan, slice));
    Net none = no_term.empty() ? ir::net_open : no_term[slot];
    if (none != ir::net_open) none = no_term[slot] = delay(s, none, wait, enable);
    const auto align = [&](Word& word) {
      if (skew == Skew::Internal) word = delay(s, UInt(word), wait, enable);
      if (none != ir::net_open && clear) word = s.word(word & ~none);
    };
    for (auto& rows : all.packed) align(rows[slot]);
    for (auto& rows : all.shared) align(rows[slot]);
  }
  if (clear) no_term.clear();
  return all;
}

}  // namespace

BuiltDot build_dot(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                   const Sequence& sequence, Skew skew, Net enable) {
  SliceControls slices{.enable = enable, .no_term = sequence.no_term};
  const OperandNets aligned = at_their_slices(s, plan, operands, slices.no_term, skew, enable);
  DelayLine<Net> first(s, sequence.first, enable), last(s, sequence.last, enable),
      first_round(s, sequence.first_round, enable);
  slices.first = &first;
  const auto words = build_slices(s, plan, aligned, slices);
  const auto counters = build_counters(s, plan, words, first, enable);
  const auto carries = build_carry_sums(s, plan, aligned, slices.no_term, words, enable);
  const auto results = build_results(
      s, plan, aligned, {words, counters, carries},
      {.enable = enable, .last = &last, .first_round = &first_round, .first = &first});
  return {results, plan.latency - static_cast<int>(plan.cycles() - 1)};
}

}  // namespace kumiki::gen::packing
