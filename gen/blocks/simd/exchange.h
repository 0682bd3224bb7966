// SPDX-License-Identifier: Apache-2.0
// Puts two words in order, given which is larger: a LUT6_2 a bit, using both outputs.
#pragma once
#include "gen/hdl/scope.h"

namespace kumiki::gen::simd {

struct Ordered {
  UInt low, high;
};
Ordered ordered(Scope& s, Net first_is_larger, const UInt& a, const UInt& b,
                SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen::simd
