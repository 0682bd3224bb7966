// SPDX-License-Identifier: Apache-2.0
// Steps that somebody wants, from a rule that only scales: an accumulator times a small factor plus
// an offset, requantised by FloatRule, begins each result where the steps do.
#pragma once
#include <cstdint>
#include <optional>

#include "gen/arith/float_rule.h"

namespace kumiki::gen::arith {

// Its result for v is that of `rule` for factor * v + offset.
struct SteppedRule {
  std::int64_t factor = 1, offset = 0;
  FloatRule rule;
  friend bool operator==(const SteppedRule&, const SteppedRule&) = default;
};
std::int64_t requantised(const SteppedRule& rule, std::int64_t accumulator);

// Largest magnitude of factor * v + offset: float32 holds all of these.
constexpr std::int64_t most_scaled = std::int64_t{1} << 24;

// The one with the least factor, 1 to `most_factor`, and of these with the offset that leaves the
// scale most room of a few. `range` has every result of the steps, and the zero point
// (DesignError).
//
// Result q begins where scale * (factor * v + offset) passes q - zero point - 1/2. For real numbers
// in place of factor, offset and scale these bounds are a convex region, whose middle is found; of
// a factor, offsets on either side of that middle are the ones that have a scale if any has. What
// is given back is compared with `wanted` at every step: the search need not be believed.
std::optional<SteppedRule> stepped_rule(const Steps& wanted, const Interval& range,
                                        std::int64_t zero_point, std::int64_t most_factor);

}  // namespace kumiki::gen::arith
