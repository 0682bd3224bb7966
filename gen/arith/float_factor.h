// SPDX-License-Identifier: Apache-2.0
// A float32 scale as hardware multiplies by it: an integer over a power of two. The product is
// rounded twice as in float32, to 24 bits and then to an integer, so results are those of
// FloatRule for every sum that float32 holds exactly: up to 2^24, and above where all are clamped.
#pragma once
#include <cstdint>
#include <optional>

#include "gen/arith/float_rule.h"

namespace kumiki::gen::arith {

// The shift goes in steps of three bits: the factor is up to two bits longer than a float32's own
// 24, which fits port A of a slice, and a third of the shifts is all that is built.
struct FloatFactor {
  static constexpr int factor_bits = 26, step_bits = 4, step = 3, least_shift = 15;
  static constexpr int most_shift = least_shift + step * ((1 << step_bits) - 1);
  std::uint32_t factor = 0;
  int steps = 0;
  int shift() const { return least_shift + step * steps; }
  friend bool operator==(const FloatFactor&, const FloatFactor&) = default;
};

// Of a positive finite scale, for sums of 32 bits and results of up to 8 bits with their zero
// point: from 2^8 on every sum but 0 is clamped, so that larger scales become 2^8; from 2^-37 down
// every result is the zero point, so that smaller ones become 0.
FloatFactor float_factor(float scale);

// clamp(R(F(sum * factor) / 2^shift) + zero point): F to 24 significant bits, R to an integer, both
// half to even.
std::int64_t requantised(const FloatFactor& factor, std::int64_t zero_point, const Interval& range,
                         std::int64_t sum);

// A sum of `reachable` beyond 2^24 whose float32 is another number so that the result differs.
// None: the factor is equal to the rule for every reachable sum.
std::optional<Difference> difference(const FloatRule& rule, const Interval& reachable);

}  // namespace kumiki::gen::arith
