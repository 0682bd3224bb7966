// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/guard.h"

#include "gen/layers/vision/handshake.h"
#include "gen/layers/vision/plan.h"

namespace kumiki::gen::vision {
namespace {

enum State : unsigned { hunting, passing, filling, states };

// Set beats clear.
Net sticky(Scope& s, const Bit& set, Net clear, Net reset) {
  Reg<Net> flag(s, {.reset = reset});
  flag.next(set | (flag & ~clear));
  return flag.q();
}

// A counter 0, 1, … up to `last` and again from 0. Between frames it is 0.
struct Place {
  UInt value;
  Net at_last;
};
Place count_to(Scope& s, const UInt& last, Net step, Net reset) {
  Reg<UInt> at(s, last.width(), {.reset = reset});
  const Net end = equals(s, at.q(), last);
  const UInt more = increment(s, at.q(), step);
  at.next(more & ~(end & step));
  return {at.q(), end};
}

}  // namespace

Guard build_guard(Scope& s, const Geometry& g, const GuardIn& in) {
  Fsm state(s, states, hunting, {.reset = in.rst});
  const Net hunt = state.in(hunting), pass = state.in(passing), fill = state.in(filling);

  // Checking the size of a frame takes a clock, in which its first beat waits.
  const auto legal = [&](const UInt& size, std::int64_t most) {
    const Net some = any_of(s, size);
    const Net fits = at_least(s, s.constant(static_cast<std::uint64_t>(most), size.width()), size);
    return some & fits;
  };
  const Net size_ok = s.net(legal(in.width, g.max_width) & legal(in.height, g.max_height));
  const Bit begins = in.valid & in.user;
  const Net start = s.net(hunt & begins & size_ok);
  const auto less_one = [&](const UInt& size) {
    return add(s, size, s.constant((std::uint64_t{1} << size.width()) - 1, size.width()));
  };
  const auto shift = static_cast<std::uint32_t>(g.tail_bits());
  const UInt width = reg(s, less_one(in.width), {.enable = start});
  const UInt last_line = s.named("last_line", reg(s, less_one(in.height), {.enable = start}));
  // Lines of at most one beat need no counter; the comparison folds away.
  const UInt last_beat =
      width.width() > shift ? width.slice(shift, width.width() - shift) : s.constant(0, 1);

  Wire<Net> go(s);  // a beat leaves
  const Place x = count_to(s, last_beat, go, in.rst);
  const Net line_end = s.net(go & x.at_last);
  const Place y = count_to(s, last_line, line_end, in.rst);
  Reg<Net> first(s, {.reset = in.rst});  // no beat of the frame has left yet
  first.next(start | (first & ~go));

  const Net early = s.net(pass & begins & ~first);
  const Bit passes = pass & in.valid & ~early;
  const Net offered = s.net(passes | fill);
  go.drive(offered & in.ready);
  const Net ready = s.net((hunt & ~start) | (pass & ~early & in.ready));

  const Net eof = s.net(x.at_last & y.at_last);
  const Net taken = s.net(passes & in.ready);
  const Net is_short = s.net(taken & in.last & ~x.at_last);
  const Net is_long = s.net(taken & ~in.last & x.at_last);
  const Net done = s.net(go & eof);
  state.go(hunting, passing, start);
  state.go(passing, hunting, done);
  state.go(passing, filling, is_short | is_long | early);
  state.go(filling, hunting, done);
  state.finish();

  std::vector<Net> flags(status_bits);
  flags[short_line] = sticky(s, is_short, in.clear_status, in.rst);
  flags[long_line] = sticky(s, is_long, in.clear_status, in.rst);
  flags[short_frame] = sticky(s, early, in.clear_status, in.rst);
  flags[discarded] = sticky(s, hunt & in.valid & ~in.user, in.clear_status, in.rst);
  flags[bad_size] = sticky(s, hunt & begins & ~size_ok, in.clear_status, in.rst);

  Guard out{.ready = ready, .valid = offered, .eol = x.at_last, .eof = eof};
  for (std::uint32_t i = 0; i < shift; ++i) out.tail.push_back(width[i]);
  for (const UInt& word : in.data) out.data.push_back(s.word(word & ~fill));
  out.last_line = last_line;
  out.status = bits(s, flags);
  return out;
}

}  // namespace kumiki::gen::vision
