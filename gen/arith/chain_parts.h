// SPDX-License-Identifier: Apache-2.0
// A long carry chain is made in parts, each a clock after the part below it. So only a LUT and two
// carry blocks lie between two registers.
#pragma once
#include <cstdint>

namespace kumiki::gen::arith {

// Positions of the last part, and of an earlier one, whose carry leaves through one more position.
inline constexpr std::uint32_t last_part = 16, other_part = last_part - 1;

// Clocks of a chain.
constexpr int chain_clocks(int bits) {
  constexpr int last = last_part, other = other_part;
  return bits <= last ? 1 : 1 + (bits - last + other - 1) / other;
}

}  // namespace kumiki::gen::arith
