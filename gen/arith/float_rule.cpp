// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/float_rule.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::gen::arith {

void require_legal(const FloatRule& rule) {
  if (!(rule.scale > 0) || !std::isfinite(rule.scale))
    throw DesignError({.code = code::out_of_range,
                       .wrong = fmt::format("a scale of {}", rule.scale),
                       .required = "the scale must be a finite number above 0"});
  if (!rule.range.contains(rule.zero_point))
    throw DesignError({.code = code::out_of_range,
                       .wrong = fmt::format("a zero point of {}", rule.zero_point),
                       .required = "the zero point must be within " + to_string(rule.range)});
}

std::int64_t requantised(const FloatRule& rule, std::int32_t accumulator) {
  const auto zero = static_cast<float>(rule.zero_point);
  const float scaled = static_cast<float>(accumulator) * rule.scale;
  if (rule.zero_point_first)
    return static_cast<std::int64_t>(
        std::nearbyint(std::clamp(scaled + zero, static_cast<float>(as_word(rule.range.lo)),
                                  static_cast<float>(as_word(rule.range.hi)))));
  const float low = static_cast<float>(static_cast<std::int64_t>(rule.range.lo)) - zero;
  const float high = static_cast<float>(static_cast<std::int64_t>(rule.range.hi)) - zero;
  return static_cast<std::int64_t>(std::nearbyint(std::clamp(scaled, low, high))) + rule.zero_point;
}

Steps steps_of(const FloatRule& rule, const Interval& reachable) {
  require_legal(rule);
  if (reachable.lo > reachable.hi || !reachable.within(signed_range(32)))
    throw DesignError(
        code::out_of_range,
        fmt::format("the accumulators are {}; they must be of 32 bits, and at least one",
                    to_string(reachable)));
  return steps_of([&](std::int64_t at) { return requantised(rule, static_cast<std::int32_t>(at)); },
                  reachable,
                  [&](std::int64_t q) {
                    return (static_cast<double>(q - rule.zero_point) - 0.5) / rule.scale;
                  });
}

}  // namespace kumiki::gen::arith
