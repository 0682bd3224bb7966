// SPDX-License-Identifier: Apache-2.0
// An output register with valid and ready.
#pragma once
#include "gen/hdl/hdl.h"

namespace kumiki::gen::vision {

// Whether the register holds a beat. A step loads the next one; without a step the beat stays until
// the next part takes it.
inline Net output_valid(Scope& s, const Bit& next, Net step, Net ready, Net reset) {
  Reg<Net> valid(s, {.reset = reset});
  valid.next(mux(step, next, valid & ~ready));
  return valid.q();
}

// Whether a step may happen: the register is empty, or is emptied in this clock.
inline Net room_for_more(Scope& s, Net valid, Net ready) { return s.net(~valid | ready); }

}  // namespace kumiki::gen::vision
