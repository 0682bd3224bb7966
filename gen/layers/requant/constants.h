// SPDX-License-Identifier: Apache-2.0
// Constants that go with the number of a channel, from LUTs.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/hdl/hdl.h"

namespace kumiki::gen::requant {

// Bits of the number that are looked at in the first clock.
inline constexpr std::uint32_t first_bits_of_index = 9;
constexpr int clocks_of_constants(std::uint32_t index_bits) {
  return index_bits == 0 ? 0 : index_bits <= first_bits_of_index ? 1 : 2;
}

// values[index], so many clocks later; past the end the first one.
UInt constants(Scope& s, std::uint32_t width, const std::vector<std::uint64_t>& values,
               const UInt& index, Net enable);

}  // namespace kumiki::gen::requant
