// SPDX-License-Identifier: Apache-2.0
// An output register with valid and ready.
#pragma once
#include "gen/hdl/gates.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::vision {

// Whether something is in the register: with a step it is what comes then, without one it stays
// until the next part takes it.
inline Net output_valid(Scope& s, Net next, Net step, Net ready, Net reset) {
  Reg<Net> valid(s, {.reset = reset});
  valid.next(lut(
      s, [](bool q, bool n, bool go, bool r) { return go ? n : q && !r; }, valid.q(), next, step,
      ready));
  return valid.q();
}

// A step may happen: the register is empty, or is emptied in this clock.
inline Net room_for_more(Scope& s, Net valid, Net ready) {
  return lut(
      s, [](bool v, bool r) { return !v || r; }, valid, ready);
}

}  // namespace kumiki::gen::vision
