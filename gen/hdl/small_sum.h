// SPDX-License-Identifier: Apache-2.0
// Sums of so few nets that every bit is a LUT: mostly counters up to 63. Compared with a carry
// chain that saves a level, and half of the LUTs, since two bits of five nets share one.
#pragma once
#include <optional>

#include "gen/hdl/word.h"

namespace kumiki::gen::detail {

// a + b + carry_in, or a + ~b + carry_in; empty if they are more than six nets.
std::optional<UInt> small_sum(Scope& s, const Word& a, const Word& b, Net carry_in, bool subtract,
                              SourceLocation here);

}  // namespace kumiki::gen::detail
