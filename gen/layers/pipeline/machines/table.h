// SPDX-License-Identifier: Apache-2.0
// Any function of a few bits, in LUTs.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

// The most bits of an index for which a table takes at most three levels.
inline constexpr int most_bits_in_luts = 8;

// values[index] with `width` bits, for 2^digits values. Only the inputs that matter for a result
// bit reach a LUT. Equal halves are built once. If the upper digits only select between constants,
// that selection is all there is.
UInt table_in_luts(Scope& s, const UInt& index, std::span<const std::uint64_t> values,
                   std::uint32_t width);

}  // namespace kumiki::gen::pipeline
