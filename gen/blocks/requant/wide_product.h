// SPDX-License-Identifier: Apache-2.0
// A 32-bit number times another in two slices. The first slice takes its lower 17 bits, the shift
// of PCIN; the second slice takes the others.
#pragma once
#include "gen/hdl/dsp.h"

namespace kumiki::gen::requant {

constexpr std::uint32_t first_slice_bits = dsp48e2.shift;

// The product without the bits of the first slice, four clocks after the operands on ports A and B
// of the first slice. The operands of the second slice are read a clock later, if they have no
// second register. W of the second slice is added if its OPMODE has one.
SInt upper_product(Scope& s, const Dsp48e2& first, const Dsp48e2& second, Net en);
// The product's lower `width` bits.
UInt wide_product(Scope& s, const Dsp48e2& first, const Dsp48e2& second, std::uint32_t width,
                  Net en);

}  // namespace kumiki::gen::requant
