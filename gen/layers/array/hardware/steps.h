// SPDX-License-Identifier: Apache-2.0
// Sums in steps of 16 bits, one clock each, which bounds the length of carries; registers without
// enable or reset.
#pragma once
#include <span>
#include <vector>

#include "gen/hdl/hdl.h"

namespace kumiki::gen::array {

inline constexpr std::uint32_t step_bits = 16;
inline int steps_of(std::uint32_t width) {
  return static_cast<int>((width + step_bits - 1) / step_bits);
}

// a + b modulo 2^width, steps_of(width) clocks later.
UInt add_in_steps(Scope& s, const UInt& a, const UInt& b);
// a + b or a - b before the last register.
UInt almost_added(Scope& s, const UInt& a, const UInt& b, bool subtract = false);

// Selects one of many, 16 to 1 in each clock. `index`: its value in each of these clocks.
int clocks_to_choose(std::size_t items);
UInt chosen(Scope& s, std::vector<UInt> items, std::span<const UInt> index, int clocks);

// A number in parts of 16 bits, each with a pending carry; the first has none. It counts without a
// carry through all parts.
struct Carried {
  UInt word;
  std::vector<Net> carries;  // into the parts from the second one on
};
// Adds the pending carries; takes steps_of(width) - 1 clocks.
UInt settled(Scope& s, Carried number);

}  // namespace kumiki::gen::array
