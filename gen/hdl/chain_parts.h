// SPDX-License-Identifier: Apache-2.0
// A part of a long carry chain (gen/arith/chain_parts.h).
#pragma once
#include "gen/arith/chain_parts.h"
#include "gen/hdl/arithmetic.h"

namespace kumiki::gen {

// A part of a + b, or of a - b, which begins with a carry of 1. `more`: includes its carry as one
// more bit on top.
UInt sum_part(Scope& s, const UInt& a, const UInt& b, Net carry, bool subtracts, bool more,
              SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen
