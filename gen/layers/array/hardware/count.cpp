// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/hardware/count.h"

#include <algorithm>

namespace kumiki::gen::array {

Down::Down(Scope& s, const UInt& limit, Net load)
    : s_(s), limit_(limit), load_(load), moves_(s), last_(s, {.enable = moves_}) {
  for (std::uint32_t low = 0; low < limit.width(); low += digit_bits) {
    const std::uint32_t size = std::min(digit_bits, limit.width() - low);
    digits_.push_back({limit.slice(low, size), UInt(s.run(s.module().fresh_nets(size), size, {})),
                       s.module().fresh_nets(1)});
  }
}

Net Down::is(std::uint32_t n) {
  std::vector<Net> all{equals(s_, digits_[0].value, n)};
  for (std::size_t i = 1; i < digits_.size(); ++i) all.push_back(digits_[i].none);
  return all_of(s_, all);
}

Net Down::at_most(std::uint32_t left) {
  marks_.push_back({left, Reg<Net>(s_, {.enable = moves_})});
  return marks_.back().reached.q();
}

void Down::finish(Net step) {
  const Bit again = load_ | last_;
  moves_.drive(step | load_);
  std::vector<Net> nothing;  // the digits of the limit are 0
  for (const Digit& d : digits_) nothing.push_back(equals(s_, d.limit, 0));
  last_.next(mux(again, all_of(s_, nothing), is(1)));
  for (Mark& m : marks_) {
    // A limit with fewer bits is never above.
    const bool all = m.left >> limit_.width() != 0;
    const Net few = all ? ir::net_one : less(s_, limit_, s_.constant(m.left + 1, limit_.width()));
    const bool reachable = (m.left + 1) >> std::min(limit_.width(), digit_bits) == 0;
    m.reached.next(mux(again, few, m.reached | (reachable ? is(m.left + 1) : ir::net_zero)));
  }
  const Net starts = s_.net(again), counts = s_.net(~again);
  Bit below = ir::net_one;  // all digits below are 0
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    const Digit& d = digits_[i];
    const RegOptions options{.enable = s_.net(load_ | (step & below))};
    const UInt propagate = lut_o6(
        s_, [](bool from, bool limit, bool value) { return from ? limit : !value; },
        SourceLocation::current(), starts, d.limit, d.value);
    const UInt next =
        carry_chain(s_, propagate, repeat(s_, counts, d.value.width()), ir::net_zero).sum;
    detail::flops(s_, d.value[0], next, options, SourceLocation::current());
    const Net none = s_.net(mux(again, nothing[i], equals(s_, d.value, 1)));
    if (digits_.size() > 1)
      detail::flops(s_, d.none, bits(s_, {none}), options, SourceLocation::current());
    below &= d.none;
  }
}

Up::Up(Scope& s, std::uint32_t width, Net load) : s_(s), load_(load), moves_(s), wraps_(s) {
  Reg<UInt> value(s, width, {.enable = moves_, .reset = wraps_});
  value.next(increment(s, value.q()));
  value_ = value.q();
}

void Up::finish(Net step, Net last) {
  moves_.drive(step);
  wraps_.drive(load_ | (step & last));
}

Taps::Taps(Scope& s, const Limits& limits, Net load)
    : s_(s), limits_(limits), load_(load), tap_moves_(s), phase_moves_(s), wraps_(s) {
  // Remaining taps, and whether these are 0 or 1.
  Reg<UInt> left(s, limits.taps.width(), {.enable = tap_moves_});
  Reg<Net> none(s, {.enable = tap_moves_}), one(s, {.enable = tap_moves_});
  // The phase has one tap less; the phase is the last one.
  Reg<Net> fewer(s, {.enable = phase_moves_, .reset = wraps_});
  Reg<Net> phase_last(s, {.enable = phase_moves_});
  Reg<UInt> phase(s, 2, {.enable = phase_moves_, .reset = wraps_});
  tap_last_ = s.net(mux(fewer, one, none));
  phase_last_ = phase_last.q();

  const Bit again = load | tap_last_;
  const UInt next = look_up(
      s, limits.taps.width(), [](unsigned v) { return v - 1; }, left.q().nets());
  left.next(mux(again, limits.taps, next));
  none.next(mux(again, equals(s, limits.taps, 0), equals(s, left.q(), 1)));
  one.next(mux(again, equals(s, limits.taps, 1), equals(s, left.q(), 2)));

  const UInt next_phase = look_up(
      s, 2, [](unsigned v) { return v + 1; }, phase.q().nets());
  phase.next(next_phase);
  fewer.next(less(s, limits.high, next_phase));
  phase_last.next(
      mux(load | phase_last, equals(s, limits.phases, 0), equals(s, limits.phases, next_phase)));
  Reg<UInt> tap(s, limits.taps.width(),
                {.enable = tap_moves_, .reset = s.net(load | (tap_moves_ & tap_last_))});
  tap.next(look_up(
      s, limits.taps.width(), [](unsigned v) { return v + 1; }, tap.q().nets()));
  tap_ = tap.q();
}

void Taps::finish(Net step_tap, Net step_phase) {
  tap_moves_.drive(step_tap | load_);
  phase_moves_.drive(step_phase | load_);
  wraps_.drive(load_ | (step_phase & phase_last_));
}

Sequence::Sequence(Scope& s, Net load, Net rst)
    : s_(s), load_(load), active_(s, {.reset = rst}), taken_(s), skid_(s, rst, active_, taken_) {
  step_ = s.net(active_ & skid_.ready());
}

void Sequence::finish(Net last, Net taken) {
  active_.next(load_ | (active_ & ~(step_ & last)));
  taken_.drive(taken);
}

}  // namespace kumiki::gen::array
