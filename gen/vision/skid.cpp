// SPDX-License-Identifier: Apache-2.0
#include "gen/vision/skid.h"

#include "gen/vision/handshake.h"

namespace kumiki::gen::vision {

GroupOut<Hardware> build_skid(Scope& s, const SkidPlan&, const GroupIn<Hardware>& in) {
  s.module().set_about("a register with a second one behind it for what comes while it is full");
  Reg<Net> first(s, {.reset = in.rst}), second(s, {.reset = in.rst});
  s.named("first", first.q());
  s.named("second", second.q());
  first.next(lut(
      s, [](bool f, bool sec, bool r, bool v) { return sec || (f && !r) || v; }, first.q(),
      second.q(), in.ready, in.valid));
  second.next(lut(
      s, [](bool f, bool sec, bool r, bool v) { return sec ? !r : v && f && !r; }, first.q(),
      second.q(), in.ready, in.valid));
  const Net moves = room_for_more(s, first.q(), in.ready);
  const Net ready = invert(s, second.q());
  // The second register takes everything in until it is needed.
  const auto pass = [&](const UInt& w) {
    const UInt waiting = reg(s, w, {.enable = ready});
    return reg(s, mux(s, second.q(), waiting, w), {.enable = moves});
  };
  const auto pass_bit = [&](Net n) { return pass(bits(s, {n}))[0]; };
  GroupOut<Hardware> out;
  out.ready = ready;
  out.valid = first.q();
  out.eol = pass_bit(in.eol);
  out.eof = pass_bit(in.eof);
  for (const Net t : in.tail) out.tail.push_back(pass_bit(t));
  for (const UInt& w : in.data) out.data.push_back(pass(w));
  for (const UInt& w : in.last_line) out.last_line.push_back(pass(w));
  return out;
}

}  // namespace kumiki::gen::vision
