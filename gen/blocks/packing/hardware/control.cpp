// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/control.h"

namespace kumiki::gen::packing {
namespace {

// A counter that `enable` advances. With modulo 1 it is always on its last value.
struct Position {
  Net zero = ir::net_one, last = ir::net_one;
  UInt value;
};

Position position(Scope& s, std::int64_t modulo, Net enable, Net reset) {
  if (modulo == 1) return {};
  const gen::Counter c =
      counter(s, {.modulo = static_cast<std::uint64_t>(modulo), .enable = enable, .reset = reset});
  return {equals(s, c.value, 0), c.last, c.value};
}

// 1 from word `from` of the last round on, where the slot has no term.
Net beyond(Scope& s, const Position& word, const Position& round, std::int64_t from) {
  Net late = ir::net_one;
  if (from > 0)
    late = word.value.width() == 0
               ? ir::net_zero
               : at_least(s, word.value,
                          s.constant(static_cast<std::uint64_t>(from), word.value.width()));
  return s.net(late & round.last);
}

}  // namespace

Sequence build_sequence(Scope& s, const PackingPlan& plan, Net valid, Net enable, Net reset) {
  const auto slots = static_cast<std::size_t>(plan.terms_per_cycle);
  if (plan.cycles() == 1) return {valid, ir::net_one, ir::net_one, ir::net_one, {}};

  // The counters wait at 0 for `valid`; a set that has begun goes on without it.
  Wire<Net> idle(s);
  const Net go = s.net(enable & (~idle | valid));
  const Position word = position(s, plan.words, go, reset);
  const Net turn = plan.words == 1 ? go : s.net(go & word.last);
  const Position round = position(s, plan.rounds, turn, reset);
  idle.drive(word.zero & round.zero);

  Sequence q{.done = s.net(word.last & round.last),
             .first = word.zero,
             .last = word.last,
             .first_round = round.zero,
             .no_term = std::vector<Net>(slots, ir::net_open)};
  const std::int64_t left = plan.terms - (plan.rounds - 1) * plan.terms_per_round;
  std::int64_t known = -1;
  Net flag = ir::net_open;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    // Words of the last round in which this slot has a term.
    const auto j = static_cast<std::int64_t>(slot);
    const std::int64_t words =
        left > j ? (left - j + plan.terms_per_cycle - 1) / plan.terms_per_cycle : 0;
    if (words >= plan.words) continue;
    if (words != known) flag = beyond(s, word, round, words);
    known = words;
    q.no_term[slot] = flag;
  }
  return q;
}

Net delayed_valid(Scope& s, Net bit, int cycles, Net enable, Net reset) {
  if (cycles == 0) return bit;
  const auto n = static_cast<std::uint32_t>(cycles);
  Reg<UInt> stages(s, n, {.enable = enable, .reset = reset});
  const UInt in = bits(s, {bit});
  stages.next(n == 1 ? in : cat(s, {stages.q().slice(0, n - 1), in}));
  return stages.q()[n - 1];
}

}  // namespace kumiki::gen::packing
