// SPDX-License-Identifier: Apache-2.0
// A number of 32 bits times another in two slices: the first one has the lower 17 bits of it, which
// is how far PCIN is shifted, the second the others.
#pragma once
#include "gen/hdl/dsp.h"

namespace kumiki::gen::requant {

constexpr std::uint32_t first_slice_bits = 17;

// The product's lower `width` bits, four clocks after the operands on ports A and B of the first
// slice. Those of the second one are read a clock later, where they have no second register.
UInt wide_product(Scope& s, Dsp48e2 first, Dsp48e2 second, std::uint32_t width, Net en);

}  // namespace kumiki::gen::requant
