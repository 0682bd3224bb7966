// SPDX-License-Identifier: Apache-2.0
// The few LUTs behind a requantising slice: ties to even, saturation, clamp.
#pragma once
#include "gen/blocks/requant/slice.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::requant {

struct SliceResult {
  SInt p;
  Net detect, detect_b;  // PATTERNDETECT, PATTERNBDETECT
};

// The field of the result, `field_bits` wide; wires where the plan has no gates. Of the registers
// of the gates the last one is left to the caller.
UInt select_result(Scope& s, const RequantPlan& plan, const SliceResult& slice, Net enable);

// word < bound, or word >= bound where `inverted`; `is_signed` says how word is read. Up to 16 bits
// are a chain of LUTs, six bits in the first and five in others; more are a carry chain with five
// bits a position, so that 64 bits have three levels.
Net below_constant(Scope& s, const UInt& word, std::int64_t bound, bool is_signed,
                   bool inverted = false);
// LUTs and carry blocks behind each other in it.
int levels_below_constant(int bits);

}  // namespace kumiki::gen::requant
