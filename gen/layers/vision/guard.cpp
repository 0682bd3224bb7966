// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/guard.h"

#include "gen/layers/vision/handshake.h"
#include "gen/layers/vision/plan.h"

namespace kumiki::gen::vision {
namespace {

enum State : unsigned { hunting, passing, filling, states };

// Set beats clear.
Net sticky(Scope& s, Net set, Net clear, Net reset) {
  Reg<Net> flag(s, {.reset = reset});
  flag.next(lut(
      s, [](bool q, bool on, bool off) { return on || (q && !off); }, flag.q(), set, clear));
  return flag.q();
}

// 0, 1, … up to `last` and again from 0: between frames it is 0.
struct Place {
  UInt value;
  Net at_last;
};
Place count_to(Scope& s, const UInt& last, Net step, Net reset) {
  Reg<UInt> at(s, last.width(), {.reset = reset});
  const Net end = equals(s, at.q(), last);
  const UInt more = increment(s, at.q(), step);
  at.next(lut(
      s, [](bool m, bool e, bool go) { return m && !(e && go); }, more, end, step));
  return {at.q(), end};
}

}  // namespace

Guard build_guard(Scope& s, const Geometry& g, const GuardIn& in) {
  Fsm state(s, states, hunting, {.reset = in.rst});
  const Net hunt = state.in(hunting), pass = state.in(passing), fill = state.in(filling);

  // The size of the frame is looked at for a clock, in which its first beat waits.
  const auto legal = [&](const UInt& size, std::int64_t most) {
    const Net some = any_of(s, size);
    const Net fits = at_least(s, s.constant(static_cast<std::uint64_t>(most), size.width()), size);
    return both(s, some, fits);
  };
  const Net size_ok = both(s, legal(in.width, g.max_width), legal(in.height, g.max_height));
  const Net start = lut(
      s, [](bool h, bool v, bool u, bool ok) { return h && v && u && ok; }, hunt, in.valid, in.user,
      size_ok);
  const auto less_one = [&](const UInt& size) {
    return add(s, size, s.constant((std::uint64_t{1} << size.width()) - 1, size.width()));
  };
  const auto shift = static_cast<std::uint32_t>(g.tail_bits());
  const UInt width = reg(s, less_one(in.width), {.enable = start});
  const UInt last_line = s.named("last_line", reg(s, less_one(in.height), {.enable = start}));
  // A frame of one beat a line needs no counter; its comparison folds away.
  const UInt last_beat =
      width.width() > shift ? width.slice(shift, width.width() - shift) : s.constant(0, 1);

  Wire<Net> go(s);  // a beat leaves
  const Place x = count_to(s, last_beat, go, in.rst);
  const Net line_end = both(s, go, x.at_last);
  const Place y = count_to(s, last_line, line_end, in.rst);
  Reg<Net> first(s, {.reset = in.rst});  // nothing of the frame has left
  first.next(lut(
      s, [](bool f, bool st, bool g2) { return st || (f && !g2); }, first.q(), start, Net(go)));

  // Each of these sees the stream itself, not one another: few levels of LUTs.
  const Net early = lut(
      s, [](bool p, bool v, bool u, bool f) { return p && v && u && !f; }, pass, in.valid, in.user,
      first.q());
  const Net offered = lut(
      s, [](bool p, bool v, bool u, bool f, bool z) { return (p && v && !(u && !f)) || z; }, pass,
      in.valid, in.user, first.q(), fill);
  go.drive(lut(
      s,
      [](bool p, bool v, bool u, bool f, bool z, bool r) {
        return ((p && v && !(u && !f)) || z) && r;
      },
      pass, in.valid, in.user, first.q(), fill, in.ready));
  const Net ready = lut(
      s, [](bool h, bool st, bool p, bool e, bool r) { return (h && !st) || (p && !e && r); }, hunt,
      start, pass, early, in.ready);

  const Net eof = both(s, x.at_last, y.at_last);
  const Net taken = lut(
      s, [](bool p, bool v, bool u, bool f, bool r) { return p && v && !(u && !f) && r; }, pass,
      in.valid, in.user, first.q(), in.ready);
  const Net is_short = lut(
      s, [](bool t, bool l, bool e) { return t && l && !e; }, taken, in.last, x.at_last);
  const Net is_long = lut(
      s, [](bool t, bool l, bool e) { return t && !l && e; }, taken, in.last, x.at_last);
  const Net done = both(s, go, eof);
  const Net broken = lut(
      s, [](bool a, bool b, bool c) { return a || b || c; }, is_short, is_long, early);
  state.go(hunting, passing, start);
  state.go(passing, hunting, done);
  state.go(passing, filling, broken);
  state.go(filling, hunting, done);
  state.finish();

  const Net thrown = lut(
      s, [](bool h, bool v, bool u) { return h && v && !u; }, hunt, in.valid, in.user);
  const Net refused = lut(
      s, [](bool h, bool v, bool u, bool ok) { return h && v && u && !ok; }, hunt, in.valid,
      in.user, size_ok);
  std::vector<Net> flags(status_bits);
  flags[short_line] = sticky(s, is_short, in.clear_status, in.rst);
  flags[long_line] = sticky(s, is_long, in.clear_status, in.rst);
  flags[short_frame] = sticky(s, early, in.clear_status, in.rst);
  flags[discarded] = sticky(s, thrown, in.clear_status, in.rst);
  flags[bad_size] = sticky(s, refused, in.clear_status, in.rst);

  Guard out{.ready = ready, .valid = offered, .eol = x.at_last, .eof = eof};
  for (std::uint32_t i = 0; i < shift; ++i) out.tail.push_back(width[i]);
  for (const UInt& word : in.data)
    out.data.push_back(lut(
        s, [](bool d, bool f) { return d && !f; }, word, fill));
  out.last_line = last_line;
  out.status = bits(s, flags);
  return out;
}

}  // namespace kumiki::gen::vision
