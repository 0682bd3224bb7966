// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/float_factor.h"

#include <cmath>

#include "gen/arith/steps.h"

namespace kumiki::gen::arith {
namespace {

constexpr int float32_bits = 24;

// Half to even. Both roundings of a product apply to its magnitude, and even numbers are symmetric
// about 0.
std::uint64_t without(std::uint64_t value, int bits) {
  if (bits > 63) return 0;  // less than a half
  const std::uint64_t kept = value >> bits, rest = value & ((std::uint64_t{1} << bits) - 1);
  const std::uint64_t half = std::uint64_t{1} << bits >> 1;
  return kept + (bits > 0 && (rest > half || (rest == half && (kept & 1) != 0)) ? 1 : 0);
}

int length(std::uint64_t value) {
  int bits = 0;
  for (; value != 0; value >>= 1) ++bits;
  return bits;
}

}  // namespace

FloatFactor float_factor(float scale) {
  int exponent = 0;
  const float fraction = std::frexp(scale, &exponent);  // 0.5 up to 1
  int shift = float32_bits - exponent;
  auto factor = static_cast<std::uint32_t>(std::ldexp(fraction, float32_bits));
  if (shift > FloatFactor::most_shift) return {};
  if (shift < FloatFactor::least_shift) {
    factor = 1U << (float32_bits - 1);
    shift = FloatFactor::least_shift;
  }
  const int beyond = shift - FloatFactor::least_shift;
  const int steps = (beyond + FloatFactor::step - 1) / FloatFactor::step;
  return {factor << (steps * FloatFactor::step - beyond), steps};
}

std::uint32_t of_a_float32(std::uint32_t factor) {
  const int below = std::max(0, length(factor) - float32_bits);
  return factor >> below << below;
}

std::int64_t requantised(const FloatFactor& f, std::int64_t zero_point, const Interval& range,
                         std::int64_t sum) {
  const auto size = static_cast<std::uint64_t>(std::abs(sum)) * f.factor;
  const int long_by = std::max(0, length(size) - float32_bits);
  const std::uint64_t product = without(size, long_by);
  // Both shifts are whole: the second one does what the first one leaves.
  const int rest = f.shift() - long_by;
  const auto whole =
      static_cast<std::int64_t>(rest >= 0 ? without(product, rest) : product << -rest);
  return static_cast<std::int64_t>(
      std::clamp(Exact{sum < 0 ? -whole : whole} + zero_point, range.lo, range.hi));
}

std::optional<Difference> difference(const FloatRule& rule, const Interval& reachable) {
  const FloatFactor factor = float_factor(rule.scale);
  return difference(steps_of(rule, reachable), [&](std::int64_t sum) {
    return requantised(factor, rule.zero_point, rule.range, sum);
  });
}

}  // namespace kumiki::gen::arith
