// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/scale.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::gen::arith {
namespace {

[[noreturn]] void refuse(double ratio, const std::string& required) {
  throw DesignError({.code = code::out_of_range,
                     .key = "scale",
                     .wrong = fmt::format("a ratio of {}", ratio),
                     .required = "the ratio must be " + required});
}

}  // namespace

Scale nearest_scale(double ratio, int most_shift) {
  if (ratio == 0 || !std::isfinite(ratio)) refuse(ratio, "finite and not 0");
  int exponent = 0;
  (void)std::frexp(ratio, &exponent);  // ratio / 2^exponent in [0.5, 1), exact
  // Beyond the largest shift the scale has fewer bits; it is still rounded only once.
  int shift = std::min(scale_bits - exponent, most_shift);
  if (shift < 0) refuse(ratio, "below 2^17");
  auto scale = static_cast<std::int64_t>(std::nearbyint(std::ldexp(ratio, shift)));
  if (std::abs(scale) == std::int64_t{1} << scale_bits) scale /= 2, --shift;
  if (shift < 0) refuse(ratio, "below 2^17");
  if (scale == 0) refuse(ratio, fmt::format("above 2^-{}", most_shift + 1));
  return {scale, shift};
}

Scale shortest_scale(double ratio, int bits, int most_shift) {
  int exponent = 0;
  (void)std::frexp(ratio, &exponent);
  Scale s{.shift = std::min(bits - exponent, most_shift)};
  s.scale = static_cast<std::int64_t>(std::nearbyint(std::ldexp(ratio, s.shift)));
  for (; s.shift > 0 && s.scale % 2 == 0; --s.shift) s.scale /= 2;
  return s;
}

}  // namespace kumiki::gen::arith
