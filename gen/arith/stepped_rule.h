// SPDX-License-Identifier: Apache-2.0
// Realises wanted steps with a rule that only scales. An accumulator times a small factor plus an
// offset, requantised by FloatRule, begins each result where the steps do.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "gen/arith/float_rule.h"

namespace kumiki::gen::arith {

// Its result for v is the result of `rule` for factor * v + offset.
struct SteppedRule {
  std::int64_t factor = 1, offset = 0;
  FloatRule rule;
  friend bool operator==(const SteppedRule&, const SteppedRule&) = default;
};
std::int64_t requantised(const SteppedRule& rule, std::int64_t accumulator);

// Largest magnitude of factor * v + offset: float32 holds all integers up to it.
constexpr std::int64_t most_scaled = std::int64_t{1} << 24;

// The rule with the smallest factor, 1 to `most_factor`. Of a few offsets it has the one that
// leaves the scale most room. `range` has every result of the steps, and the zero point
// (DesignError).
//
// Result q begins where scale * (factor * v + offset) passes q - zero point - 1/2. For real factor,
// offset and scale these bounds are a convex region, and the search finds its middle. If any offset
// of a factor has a scale, then one on either side of that middle has. The result is compared with
// `wanted` at every step, so its correctness does not depend on the search.
std::optional<SteppedRule> stepped_rule(const Steps& wanted, const Interval& range,
                                        std::int64_t zero_point, std::int64_t most_factor);

// The largest factor with which all weights, negated if the sign is -1, have so many bits and a
// sign. 0: not even they themselves.
std::int64_t most_factor(std::span<const std::int16_t> weights, int sign, int bits);

}  // namespace kumiki::gen::arith
