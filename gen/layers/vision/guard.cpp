// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/guard.h"

#include "gen/blocks/requant/select.h"
#include "gen/hdl/arithmetic.h"
#include "gen/layers/vision/handshake.h"
#include "gen/layers/vision/plan.h"

namespace kumiki::gen::vision {
namespace {

// Setting has priority over clearing.
Net sticky(Scope& s, const Bit& set, Net clear, Net reset) {
  Reg<Net> flag(s, {.reset = reset});
  flag.next(set | (flag & ~clear));
  return flag.q();
}

// Counts down from `last` to 0 and repeats. At 0, also between frames, `at_last` loads the counter.
// The comparison is made a clock ahead, and a position takes one LUT. `only`: `last` is 0.
Net count_down(Scope& s, const UInt& last, Net only, Net step, Net clear) {
  if (only == ir::net_one) return only;
  const RegOptions options{.enable = step, .reset = clear};
  Reg<UInt> left(s, last.width(), options);
  Reg<Net> at_last(s, {.init = 1, .enable = step, .reset = clear});
  const UInt p = lut_o6(
      s, [](bool load, bool from, bool now) { return load ? from : !now; },
      SourceLocation::current(), at_last.q(), last, left.q());
  left.next(UInt(Word(carry_chain(s, p, left.q(), ir::net_zero).sum)));
  at_last.next(mux(at_last.q(), only, equals(s, left.q(), 1)));
  return at_last.q();
}

}  // namespace

Guard build_guard(Scope& s, const Geometry& g, const GuardIn& in) {
  // Exactly one of these is 1.
  const auto state = [&](bool at_first = false) {
    return Reg<Net>(s, {.init = at_first, .reset = in.rst});
  };
  Reg<Net> hunts = state(true), measures = state(), decides = state(), refuses = state();
  Reg<Net> passing = state(), filling = state();
  const Net hunt = hunts, decide = decides, refuse = refuses, pass = passing, fill = filling;

  // The first beat of a frame waits while its size is checked. Size minus one gives the last column
  // and the last line; for a size of 0 it exceeds every valid one.
  const auto less_one = [&](const UInt& size) {
    const UInt all_ones = s.constant((std::uint64_t{1} << size.width()) - 1, size.width());
    return reg(s, add(s, size, all_ones), {.enable = hunt});
  };
  const auto fits = [&](const UInt& last, std::int64_t most) {
    return reg(s, requant::below_constant(s, last, most, false));
  };
  const auto shift = static_cast<std::uint32_t>(g.tail_bits());
  const UInt last_column = s.named("last_column", less_one(in.width));
  const UInt last_line = s.named("last_line", less_one(in.height));
  const Net is_wide = fits(last_column, g.max_width), is_high = fits(last_line, g.max_height);
  const Net legal = s.net(is_wide & is_high);
  const auto is_zero = [&](const UInt& word) { return reg(s, equals(s, word, 0)); };

  Wire<Net> go(s);     // a beat leaves
  Wire<Net> clear(s);  // restarts the counters
  // Lines of at most one beat need no counter.
  const bool has_columns = last_column.width() > shift;
  const UInt last_beat =
      has_columns ? last_column.slice(shift, last_column.width() - shift) : s.constant(0, 1);
  const Net eol = count_down(s, last_beat, has_columns ? is_zero(last_beat) : ir::net_one,
                             s.net(go | decide), clear);
  const Net last_of_lines =
      count_down(s, last_line, is_zero(last_line), s.net((go & eol) | decide), clear);
  Reg<Net> first(s, {.reset = in.rst});  // no beat of the frame has left yet
  first.next(decide | (first & ~go));

  const Bit early = pass & in.valid & in.user & ~first;
  const Bit passes = pass & in.valid & ~(in.user & ~first);
  const Net offered = s.net(passes | fill);
  go.drive(offered & in.ready);
  const Net ready = s.net((hunt & ~in.user) | refuse | (pass & in.ready & ~(in.user & ~first)));

  const Net eof = s.net(eol & last_of_lines);
  const Net done = s.net(go & eol & last_of_lines);
  clear.drive(in.rst | refuse | (go & eol & last_of_lines));
  const Net begins = s.net(in.valid & in.user);
  const Net mistake = s.net(pass & in.valid & ((in.user & ~first) | (in.ready & (in.last ^ eol))));
  hunts.next((hunt & ~begins) | refuse | done);
  measures.next(hunt & begins);
  decides.next(measures.q());
  refuses.next(decide & ~legal);
  passing.next((decide & legal) | (pass & ~done & ~mistake));
  filling.next((fill | mistake) & ~done);

  const Net taken = s.net(passes & in.ready);
  std::vector<Net> flags(status_bits);
  flags[short_line] = sticky(s, taken & in.last & ~eol, in.clear_status, in.rst);
  flags[long_line] = sticky(s, taken & ~in.last & eol, in.clear_status, in.rst);
  flags[short_frame] = sticky(s, early, in.clear_status, in.rst);
  flags[discarded] = sticky(s, hunt & in.valid & ~in.user, in.clear_status, in.rst);
  flags[bad_size] = sticky(s, refuse, in.clear_status, in.rst);

  Guard out{.ready = ready, .valid = offered, .eol = eol, .eof = eof};
  for (std::uint32_t i = 0; i < shift; ++i) out.tail.push_back(last_column[i]);
  for (const UInt& word : in.data) out.data.push_back(s.word(word & ~fill));
  out.last_line = last_line;
  out.status = bits(s, flags);
  return out;
}

}  // namespace kumiki::gen::vision
