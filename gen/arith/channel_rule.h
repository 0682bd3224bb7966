// SPDX-License-Identifier: Apache-2.0
// A channel's requantisation for a slice and its cheapest integer form. The forms are one product,
// a constant that may differ below 0, and a shift. Rules that round away from zero, or twice, have
// different ties on the two sides of 0.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gen/arith/steps.h"
#include "ir/arch.h"

namespace kumiki::gen::arith {

// TFLite's MultiplyByQuantizedMultiplier: a saturating rounding doubling high multiply by a
// multiplier of 31 bits, then a rounding division by a power of two. A negative shift moves the
// accumulator to the left before. Zero point and range follow.
struct DoublingRule {
  std::int32_t multiplier = 1 << 30;  // 2^30 up to 2^31 - 1
  int shift = 0;                      // -31 to 31
  std::int64_t zero_point = 0;
  Interval range{-128, 127};
  double scale() const;
  friend bool operator==(const DoublingRule&, const DoublingRule&) = default;
};
// DesignError: a multiplier, shift or zero point that is not legal, or an accumulator of
// `reachable` that exceeds 32 bits after its shift to the left.
void require_legal(const DoublingRule& rule, const Interval& reachable);
std::int64_t requantised(const DoublingRule& rule, std::int32_t accumulator);

// clamp((acc * factor + offset) >> shift), with another offset below 0. The offsets include the
// zero point and half a result. `even`: a tie leaves zeros below the shift. The last bit of the
// result is cleared if that makes it even before the zero point is added. With an odd zero point a
// tie is rounded down and leaves ones, and the bit is set.
struct SlicedRule {
  std::int64_t factor = 1;
  int shift = 0;
  std::int64_t offset = 0, offset_below = 0;
  bool even = false;
  std::int64_t zero_point = 0;  // results depend on it only with `even`
  Interval range{-128, 127};
  int factor_bits() const;
  friend bool operator==(const SlicedRule&, const SlicedRule&) = default;
};
std::int64_t requantised(const SlicedRule& rule, std::int64_t accumulator);
std::string to_string(const SlicedRule& rule);

// round(factor * accumulator / 2^shift) + zero point, ties to the even neighbour.
SlicedRule even_rule(Exact factor, int shift, std::int64_t zero_point, const Interval& range);

// The rule with the shortest factor that has these results, which lie in `range`. The map must be
// about scale * accumulator + zero point. `one_offset`: the same offset below 0.
std::optional<SlicedRule> equal_rule(const Steps& steps, double scale, std::int64_t zero_point,
                                     const Interval& range,
                                     int most_factor_bits = ir::arch::dsp48e2.factor_bits(),
                                     int most_shift = 46, bool one_offset = false);
// The nearest rule with a factor of this many bits, ties to even; it need not be equal to any rule.
// DesignError if there is no such shift.
SlicedRule nearest_rule(double scale, std::int64_t zero_point, const Interval& range,
                        int factor_bits, int most_shift = 46);

}  // namespace kumiki::gen::arith
