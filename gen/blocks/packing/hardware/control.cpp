// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/control.h"

#include "gen/hdl/cells.h"

namespace kumiki::gen::packing {
namespace {

// 1 from word `from` of the last round on, where the slot has no term.
Net beyond(Scope& s, const Position& word, const Position& round, std::int64_t from,
           std::int64_t words, Net go, Net reset) {
  if (from == 0) return round.last;
  return s.net(between(s, word, from, words, go, reset) & round.last);
}

}  // namespace

Position position(Scope& s, std::int64_t modulo, Net enable, Net reset) {
  if (modulo == 1) return {};
  const auto count = static_cast<std::uint64_t>(modulo);
  const std::uint32_t width = address_width(count);
  const RegOptions steps{.enable = enable, .reset = reset};
  Reg<Net> first(s, {.init = 1, .enable = enable, .reset = reset}), last(s, steps);
  // The flip-flops' own reset makes the wrap; it takes effect only with the enable.
  const bool wraps_alone = (count & (count - 1)) == 0;
  const Net wrap = wraps_alone ? reset : s.net(reset | (last & enable));
  Reg<UInt> value(s, width, {.enable = enable, .reset = wrap});
  value.next(increment(s, value.q()));
  const Net before_last = equals(s, value.q(), count - 2);
  first.next(last.q());
  last.next(before_last);
  return {value.q(), first.q(), last.q(), before_last};
}

Net between(Scope& s, const Position& at, std::int64_t from, std::int64_t to, Net enable,
            Net reset) {
  Reg<Net> inside(s, {.enable = enable, .reset = reset});
  const auto next_is = [&](std::int64_t position) {
    return equals(s, at.value, static_cast<std::uint64_t>(position - 1));
  };
  inside.next(next_is(from) | (inside & ~next_is(to)));
  return inside.q();
}

Sequence build_sequence(Scope& s, const PackingPlan& plan, Net valid, Net enable, Net reset) {
  const auto slots = static_cast<std::size_t>(plan.terms_per_cycle);
  if (plan.cycles() == 1) return {valid, ir::net_one, ir::net_one, ir::net_one, {}};

  // The counters wait at 0 for `valid`; a running set continues without it.
  Wire<Net> idle(s);
  const Net go = s.net(enable & (~idle | valid));
  const Position word = position(s, plan.words, go, reset);
  const Net turn = plan.words == 1 ? go : s.net(go & word.last);
  const Position round = position(s, plan.rounds, turn, reset);
  idle.drive(word.first & round.first);

  Sequence q{.done = s.net(word.last & round.last),
             .first = word.first,
             .last = word.last,
             .first_round = round.first,
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
    if (words != known) flag = beyond(s, word, round, words, plan.words, go, reset);
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
