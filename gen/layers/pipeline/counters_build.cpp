// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/layers/pipeline/counters.h"

namespace kumiki::gen::pipeline {
namespace {

// The counters of a lap as a shift chain; the first one is at the front a clock after a lap began.
UInt build_chain(Scope& s, const CountersPlan& p, const std::vector<Net>& events, Net lap_ends,
                 Net reset) {
  constexpr std::size_t counters_of_load = 16;  // counters that one load register feeds
  const auto bits = static_cast<std::uint32_t>(p.low_bits());
  UInt chain = s.constant(0, bits);
  Net load;
  for (std::size_t e = events.size(); e-- > 0;) {
    if ((events.size() - 1 - e) % counters_of_load == 0) load = reg(s, lap_ends, {.reset = reset});
    const Net happened = reg(s, events[e], {.reset = reset});
    Reg<UInt> count(s, bits, {.enable = happened, .reset = reset});
    count.next(increment(s, count.q()));
    chain = reg(s, mux(s, load, count.q(), chain), {.reset = reset});
  }
  return chain;
}

// Updates the counts from the chain, `stages` clocks later. The lowest bits are those of the small
// counter. If it has wrapped, the bits above are incremented, digit by digit.
UInt build_sums(Scope& s, const CountersPlan& p, const UInt& chain, Net first_lap, Net reset) {
  const auto low = static_cast<std::uint32_t>(p.low_bits());
  const auto bits = static_cast<std::uint32_t>(p.bits);
  const RegOptions cleared{.reset = reset};
  Reg<UInt> round(s, bits, {.reset = s.net(first_lap | reset)});
  UInt fresh = reg(s, chain, cleared);
  UInt above = round.q().slice(low, bits - low);
  Net carry = reg(s, less(s, fresh, round.q().slice(0, low)), cleared);
  fresh = reg(s, fresh, cleared);
  if (bits > low) above = reg(s, above, cleared);
  std::vector<Word> done{fresh};  // the lowest first
  for (const std::int64_t digit : p.digits()) {
    const auto width = static_cast<std::uint32_t>(digit);
    const UInt now = above.slice(0, width);
    for (Word& w : done) w = reg(s, UInt(w), cleared);
    done.push_back(reg(s, increment(s, now, carry), cleared));
    const std::uint32_t left = above.width() - width;
    if (left == 0) break;
    carry = reg(s, s.net(carry & all_of(s, now)), cleared);
    above = reg(s, above.slice(width, left), cleared);
  }
  std::ranges::reverse(done);
  const UInt sum = cat(s, done);
  round.next(delay(s, sum, static_cast<std::uint32_t>(p.lap() - p.stages())));
  return sum;
}

}  // namespace

CountersOut<Hardware> build_counters(Scope& s, const CountersPlan& p,
                                     const CountersIn<Hardware>& in) {
  s.module().set_about(
      fmt::format("{} counts of {} bits, each seen once in {} clocks", p.events, p.bits, p.lap()));
  const Cycle at(s, p.lap(), ir::net_one, in.rst);
  // All counts are 0 until the shift registers have been refilled after a reset.
  Reg<Net> first_lap(s, {.init = 1, .reset = in.rst});
  first_lap.next(first_lap & ~reg(s, at.last(), {.reset = in.rst}));
  const UInt chain = build_chain(s, p, in.events, at.last(), in.rst);
  const UInt sum = build_sums(s, p, chain, first_lap, in.rst);

  Wire<Net> found(s);
  Reg<Net> free(s, {.init = 1, .reset = in.rst}), asked(s, {.reset = in.rst}),
      armed(s, {.reset = in.rst}), answers(s, {.reset = in.rst});
  const Net takes = s.net(in.arvalid & free);
  const auto index_bits = static_cast<std::uint32_t>(p.address_bits()) - 2;
  const UInt wanted = reg(s, in.araddr.slice(2, index_bits), {.enable = takes, .reset = in.rst});
  const UInt passed = delay(s, at.at(), static_cast<std::uint32_t>(p.stages()));
  const Net is_it = reg(s, equals(s, passed, wanted.slice(0, passed.width())));
  const Net is_beyond =
      reg(s, at_least(s, wanted, s.constant(static_cast<std::uint64_t>(p.events), index_bits)));
  found.drive(asked & armed & (is_it | is_beyond));
  asked.next(takes | (asked & ~found));
  armed.next(asked & ~found);
  answers.next(found | (answers & ~in.rready));
  free.next((free & ~in.arvalid) | (answers & in.rready));
  const Net refuses = s.net(found & is_beyond);
  return {.arready = free,
          .rvalid = answers,
          .rresp = cat(s, {bits(s, {reg(s, is_beyond, {.enable = found, .reset = in.rst})}),
                           s.constant(0, 1)}),
          .rdata = reg(s, sum, {.enable = found, .reset = s.net(in.rst | refuses)})};
}

}  // namespace kumiki::gen::pipeline
