// SPDX-License-Identifier: Apache-2.0
// A float32 scale as the hardware multiplies by it: an integer over a power of two. The product is
// rounded twice as in float32, to 24 bits and then to an integer. So results are those of FloatRule
// for every sum that float32 holds exactly: up to 2^24, and above if all are clamped.
#pragma once
#include <cstdint>
#include <optional>

#include "gen/arith/float_rule.h"

namespace kumiki::gen::arith {

// The shift has steps of three bits. So the factor is up to two bits longer than the 24 bits of a
// float32, which fits port A of a slice. Only a third of the shifts is built.
struct FloatFactor {
  static constexpr int step_bits = 4, step = 3, least_shift = 15;
  static constexpr int factor_bits = 24 + step - 1;
  static constexpr int most_shift = least_shift + step * ((1 << step_bits) - 1);
  std::uint32_t factor = 0;
  int steps = 0;
  int shift() const { return least_shift + step * steps; }
  friend bool operator==(const FloatFactor&, const FloatFactor&) = default;
};

// The factor of a positive finite scale, for sums of 32 bits and results of up to 8 bits with their
// zero point. From 2^8 on, every sum but 0 is clamped, so larger scales become 2^8. From 2^-37
// down, every result is the zero point, so smaller scales become 0.
FloatFactor float_factor(float scale);

// Without the bits of a factor that a float32 does not have: those below its highest 24.
std::uint32_t of_a_float32(std::uint32_t factor);

// clamp(R(F(sum * factor) / 2^shift) + zero point). F rounds to 24 significant bits, R to an
// integer, both half to even.
std::int64_t requantised(const FloatFactor& factor, std::int64_t zero_point, const Interval& range,
                         std::int64_t sum);

// A sum of `reachable` beyond 2^24 that float32 rounds so that the result differs. Empty: the
// factor equals the rule for every reachable sum.
std::optional<Difference> difference(const FloatRule& rule, const Interval& reachable);

}  // namespace kumiki::gen::arith
