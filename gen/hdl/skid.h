// SPDX-License-Identifier: Apache-2.0
// Two words of room in a stream with valid and ready. Both signals come from registers. So a chain
// of parts is not a chain of LUTs, and a word moves in every clock.
#pragma once
#include <string>

#include "gen/hdl/mux.h"
#include "gen/hdl/state.h"

namespace kumiki::gen {

class Skid {
 public:
  // `valid` of the part before, `ready` of the part after.
  Skid(Scope& s, Net reset, Net valid, Net ready, const std::string& prefix = {})
      : s_(s), first_(s, {.reset = reset}), room_(s, {.init = 1, .reset = reset}) {
    s.named(prefix + "first", first_.q());
    s.named(prefix + "room", room_.q());
    first_.next(~room_ | (first_ & ~ready) | valid);
    room_.next(ready | (room_ & ~(valid & first_)));
    moves_ = s.net(~first_ | ready);
  }

  Net valid() const { return first_.q(); }  // for the part after
  Net ready() const { return room_.q(); }   // for the part before

  // A signal that belongs to valid. The second register takes every word until it holds one that
  // waits.
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
