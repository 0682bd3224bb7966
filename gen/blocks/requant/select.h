// SPDX-License-Identifier: Apache-2.0
// The few LUTs behind a requantising slice: ties to even, saturation, clamp.
#pragma once
#include <span>

#include "gen/blocks/requant/slice.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::requant {

struct SliceResult {
  SInt p;
  Net detect, detect_b;  // PATTERNDETECT, PATTERNBDETECT
};

// The field of the result, `field_bits` wide; only wires if the plan has no gates. The caller adds
// the last register of the gates.
UInt select_result(Scope& s, const RequantPlan& plan, const SliceResult& slice, Net enable);

// The last bit of a tie set or cleared, which makes the number even. Ties are rounded up and leave
// zeros below it; with an odd zero point they are rounded down, leave ones, and the bit is set.
UInt made_even(Scope& s, const UInt& q, const Bit& tie, bool sets);

// Whether some of the nets differ from `all`; five nets a LUT.
Bit some_differ(Scope& s, std::span<const Net> nets, Net all);

// word < bound, or word >= bound if `inverted`; `is_signed` tells how to read word. Up to 16 bits
// take a chain of LUTs, with six bits in the first and five in the others. More bits take a carry
// chain with five bits a position, so 64 bits have three levels.
Net below_constant(Scope& s, const UInt& word, std::int64_t bound, bool is_signed,
                   bool inverted = false);
// The levels of LUTs and carry blocks in it.
int levels_below_constant(int bits);

}  // namespace kumiki::gen::requant
