// SPDX-License-Identifier: Apache-2.0
// Sums of so few nets that every bit is a LUT: mostly counters up to 63. This saves a level
// compared with a carry chain, and half of the LUTs, because two bits of up to five nets share a
// LUT.
#pragma once
#include <optional>

#include "gen/hdl/word.h"

namespace kumiki::gen::detail {

// a + b + carry_in, or a + ~b + carry_in; empty if the operands have more than six nets together.
std::optional<UInt> small_sum(Scope& s, const Word& a, const Word& b, Net carry_in, bool subtract,
                              SourceLocation here);

}  // namespace kumiki::gen::detail
