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

// The field of the result, `field_bits` wide; wires where the plan has no gates.
UInt select_result(Scope& s, const RequantPlan& plan, const SliceResult& slice);

// word < bound; `is_signed` says how word is read. A LUT for five bits, for six in the first.
Net below_constant(Scope& s, const UInt& word, std::int64_t bound, bool is_signed);

}  // namespace kumiki::gen::requant
