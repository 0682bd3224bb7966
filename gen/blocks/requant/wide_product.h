// SPDX-License-Identifier: Apache-2.0
// A 32-bit number times another in two slices. The first slice takes its lower 17 bits, the shift
// of PCIN; the second slice takes the others.
#pragma once
#include "gen/hdl/dsp.h"

namespace kumiki::gen::requant {

constexpr std::uint32_t first_slice_bits = dsp48e2.shift;

// The product's lower `width` bits, four clocks after the operands on ports A and B of the first
// slice. The operands of the second slice are read a clock later, if they have no second register.
UInt wide_product(Scope& s, Dsp48e2 first, Dsp48e2 second, std::uint32_t width, Net en);

}  // namespace kumiki::gen::requant
