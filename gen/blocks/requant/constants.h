// SPDX-License-Identifier: Apache-2.0
// Constants by the number of a channel: from LUTs, or from a block memory if it replaces many LUTs.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/hdl/hdl.h"

namespace kumiki::gen::requant {

// Channel numbers of so many bits fit one LUT, which answers in one clock.
inline constexpr std::uint32_t index_bits_of_a_lut = 6;
constexpr int clocks_of_constants(std::uint32_t index_bits) {
  return index_bits == 0 ? 0 : index_bits <= index_bits_of_a_lut ? 1 : 2;
}

// values[index], clocks_of_constants(bits of the index) later; past the end the first value.
UInt constants(Scope& s, std::uint32_t width, const std::vector<std::uint64_t>& values,
               const UInt& index, Net enable, bool only_luts = false);

}  // namespace kumiki::gen::requant
