// SPDX-License-Identifier: Apache-2.0
// Any function of a few bits in LUTs.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

// Bits of an index for which a table takes at most three levels.
inline constexpr int most_bits_in_luts = 8;

// values[index] in so many bits: 2^digits values. Of a bit of the result only what matters for it
// is a LUT: halves that are equal are there once, and one whose upper digits choose between
// constants is that choice.
UInt table_in_luts(Scope& s, const UInt& index, std::span<const std::uint64_t> values,
                   std::uint32_t width);

}  // namespace kumiki::gen::pipeline
