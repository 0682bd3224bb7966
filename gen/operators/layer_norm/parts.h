// SPDX-License-Identifier: Apache-2.0
// What the machines of LayerNorm and an engine's normaliser share (integers.h has the formulas).
#pragma once
#include "gen/graph/graph.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen {

// What a slice adds: the product; C as well, or the slice below; a constant, or C.
struct OpMode {
  static constexpr std::uint16_t product = 0b00'000'01'01, with_c = 0b00'011'01'01,
                                 with_below = 0b00'001'01'01, constant = 0b10'000'00'00,
                                 w_is_c = 0b11'000'00'00;
  static constexpr std::uint8_t z_minus_others = 0b0011, others_minus_z = 0b0001;
};

// number * 2^places, in so many bits.
UInt raised(Scope& s, const UInt& number, std::uint32_t places);

// V of the sums of n numbers in each clock, four clocks later.
SInt variance_of(Scope& s, const UInt& squares, const SInt& sum, const UInt& size);

// u and R of a word W in each clock. `steps` shift out pairs of zeros, 2^i pairs in step i.
struct ReciprocalRoot {
  static constexpr int clocks = 15;  // from `shift` to `root`
  UInt shift;                        // a clock after W for each step
  UInt root;
};
ReciprocalRoot reciprocal_root(Scope& s, const UInt& word, int steps);

// The result y of a number in each clock, nine clocks after d, in five slices with that which makes
// d.
struct NormalIn {
  SInt difference;    // d
  UInt lower, upper;  // parts of R, a clock before d and with it
  SInt factor, bias;  // A and B / 2^(shift - point_bits), four and six clocks after d
};
UInt normal_result(Scope& s, const NormalIn& in, const arith::Format& format, Net enable);

}  // namespace kumiki::gen
