// SPDX-License-Identifier: Apache-2.0
// The DSP48E2's adder cut into lanes: four of 12 bits, two of 24 or one of 48 a slice. Many
// operations run side by side on as many slices as they need. Words are two's complement bits in a
// UInt; `is_signed` says how to read them. Results are exact, or the request is refused.
#pragma once
#include <vector>

#include "gen/hdl/dsp.h"

namespace kumiki::gen::simd {

enum class Lanes : std::uint8_t { one48, two24, four12 };
constexpr std::uint32_t lanes_in_slice(Lanes l) {
  return l == Lanes::four12 ? 4 : l == Lanes::two24 ? 2 : 1;
}
constexpr std::uint32_t lane_bits(Lanes l) { return dsp48e2.p / lanes_in_slice(l); }
// The narrowest lanes that hold words of `bits`; DesignError above 48.
Lanes lanes_for(std::uint32_t bits);
// Slices of `operations` lanes.
constexpr std::uint32_t slice_count(Lanes l, std::size_t operations) {
  return static_cast<std::uint32_t>((operations + lanes_in_slice(l) - 1) / lanes_in_slice(l));
}

// Clocks from operands to results: operand and result registers give the slice its full speed.
inline constexpr std::uint32_t latency = 2;

struct Options {
  Lanes lanes = Lanes::four12;
  Net enable = ir::net_one;
  bool is_signed = false;
};

using Words = std::vector<UInt>;

// a[i] + b[i], one bit wider than the operands.
Words add(Scope& s, const Options& options, const Words& a, const Words& b,
          SourceLocation here = SourceLocation::current());

struct Difference {
  Words values;               // a[i] - b[i], two's complement, one bit wider than the operands
  std::vector<Net> at_least;  // a[i] >= b[i]
};
Difference subtract(Scope& s, const Options& options, const Words& a, const Words& b,
                    SourceLocation here = SourceLocation::current());

// a[i] >= b[i], read from the carry out of the lane; operands may fill the lane.
std::vector<Net> at_least(Scope& s, const Options& options, const Words& a, const Words& b,
                          SourceLocation here = SourceLocation::current());

// |a[i] - b[i]|, unsigned, as wide as the operands, which may fill the lane. A result takes two
// lanes, a - b and b - a, and half a LUT a bit to choose the one that is not negative. The form ((a
// - b) ^ sign) + sign would cost the same LUTs in one lane, but another lane and two clocks for its
// carry. Exchanging the operands first costs a LUT a bit.
Words absolute_difference(Scope& s, const Options& options, const Words& a, const Words& b,
                          SourceLocation here = SourceLocation::current());

// The logic unit: 48 bits a slice, without lanes, so `options.lanes` is ignored.
enum class Logic : std::uint8_t { and_, or_, xor_, not_ };
Words logic(Scope& s, const Options& options, Logic function, const Words& a, const Words& b = {},
            SourceLocation here = SourceLocation::current());

// Selects each word by a net of its own: half a LUT a bit, no clock.
Words select(Scope& s, const std::vector<Net>& choose, const Words& when_one,
             const Words& when_zero, SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen::simd
