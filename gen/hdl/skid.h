// SPDX-License-Identifier: Apache-2.0
// Two words of room in a stream with valid and ready: both come from registers, so that a chain of
// parts is no chain of LUTs, and a word moves in every clock.
#pragma once
#include <string>

#include "gen/hdl/lut.h"
#include "gen/hdl/mux.h"
#include "gen/hdl/state.h"

namespace kumiki::gen {

class Skid {
 public:
  // `valid` of the part before, `ready` of the part behind.
  Skid(Scope& s, Net reset, Net valid, Net ready, const std::string& prefix = {})
      : s_(s), first_(s, {.reset = reset}), room_(s, {.init = 1, .reset = reset}) {
    s.named(prefix + "first", first_.q());
    s.named(prefix + "room", room_.q());
    first_.next(lut(
        s, [](bool f, bool room, bool r, bool v) { return !room || (f && !r) || v; }, first_.q(),
        room_.q(), ready, valid));
    room_.next(lut(
        s, [](bool f, bool room, bool r, bool v) { return r || (room && !(v && f)); }, first_.q(),
        room_.q(), ready, valid));
    moves_ = lut(
        s, [](bool v, bool r) { return !v || r; }, first_.q(), ready);
  }

  Net valid() const { return first_.q(); }  // for the part behind
  Net ready() const { return room_.q(); }   // for the part before

  // What goes with valid. The second register takes everything in until it is needed.
  UInt pass(const UInt& w) {
    const UInt waiting = reg(s_, w, {.enable = room_.q()});
    return reg(s_, mux(s_, room_.q(), w, waiting), {.enable = moves_});
  }
  Net pass(Net n) { return pass(bits(s_, {n}))[0]; }

 private:
  Scope& s_;
  Reg<Net> first_, room_;  // the first register is full, the second one empty
  Net moves_;
};

}  // namespace kumiki::gen
