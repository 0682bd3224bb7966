// SPDX-License-Identifier: Apache-2.0
// Constants that go with the number of a channel: from LUTs, or from a block memory where that
// takes the place of many.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/hdl/hdl.h"

namespace kumiki::gen::requant {

// Numbers of so many bits are the inputs of a LUT, which answers in a clock.
inline constexpr std::uint32_t index_bits_of_a_lut = 6;
constexpr int clocks_of_constants(std::uint32_t index_bits) {
  return index_bits == 0 ? 0 : index_bits <= index_bits_of_a_lut ? 1 : 2;
}

// values[index], so many clocks later; past the end the first one.
UInt constants(Scope& s, std::uint32_t width, const std::vector<std::uint64_t>& values,
               const UInt& index, Net enable);

}  // namespace kumiki::gen::requant
