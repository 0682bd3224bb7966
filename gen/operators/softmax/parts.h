// SPDX-License-Identifier: Apache-2.0
// What the machines of Softmax and an engine's normaliser share.
#pragma once
#include "gen/hdl/hdl.h"

namespace kumiki::gen {

// A quotient, one bit in a clock: twice the rest, less the sum, or plus the sum if the rest is
// negative. `sum` is read in the clock of `takes`; bits + 2 clocks later all bits of the quotient
// are there, for one clock. `first`: twice the first rest, of dsp48e2.p bits.
UInt divided(Scope& s, Net takes, const UInt& sum, const UInt& first, std::uint32_t bits);

}  // namespace kumiki::gen
