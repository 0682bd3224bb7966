// SPDX-License-Identifier: Apache-2.0
// How onnxruntime reduces an accumulator to few bits: the 32-bit sum as float32, times a float32
// scale, clamped, to the nearest integer with ties to even, plus the zero point. The map is
// monotone, so the accumulators at which the next number begins define it completely. An integer
// rule that agrees with them agrees with every accumulator.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/arith/interval.h"
#include "gen/arith/rounding.h"
#include "ir/arch.h"

namespace kumiki::gen::arith {

struct FloatRule {
  float scale = 1;  // above 0, finite
  std::int64_t zero_point = 0;
  Interval range{-128, 127};  // of the result; includes the zero point
  friend bool operator==(const FloatRule&, const FloatRule&) = default;
};

// DesignError: a scale that is not a positive finite number, or a zero point outside the range.
void require_legal(const FloatRule& rule);

std::int64_t requantised(const FloatRule& rule, std::int32_t accumulator);

// The scale of a product in onnxruntime: float32, multiplied first, then divided.
inline float product_scale(float a, float b, float out) { return a * b / out; }

// The accumulators at which results begin, within `reachable` (32 bits). `first` is the result of
// the lowest one. begins[i] is the lowest accumulator with a result of at least first + 1 + i.
// Results that are never reached begin where the next one does.
struct Steps {
  Interval reachable;
  std::int64_t first = 0;
  std::vector<std::int64_t> begins;
  std::int64_t at(std::int64_t accumulator) const;
  friend bool operator==(const Steps&, const Steps&) = default;
};
Steps steps_of(const FloatRule& rule, const Interval& reachable);

// q = clamp(R((acc * factor + offset) / 2^shift) + zero point); R rounds down or half to even. A
// DSP slice computes this, with a few LUTs if ties go to the even neighbour.
struct IntegerRule {
  std::int64_t factor = 1;
  int shift = 0;
  Rounding rounding = Rounding::down;
  std::int64_t offset = 0;
  std::int64_t zero_point = 0;
  Interval range{-128, 127};
  friend bool operator==(const IntegerRule&, const IntegerRule&) = default;
};
std::int64_t requantised(const IntegerRule& rule, std::int64_t accumulator);
std::string to_string(const IntegerRule& rule);  // "(acc * 5 + 8) >> 4, + 3, in [0, 255]"

// The first `most` accumulators for which the rule gives another result. Empty: the rule is equal
// for every reachable one. Comparing where results begin proves this.
struct Difference {
  std::int64_t accumulator, wanted, given;
  friend bool operator==(const Difference&, const Difference&) = default;
};
std::vector<Difference> differences(const Steps& steps, const IntegerRule& rule,
                                    std::size_t most = 16);

// The rule with the shortest factor that is equal for every reachable accumulator, rounding down if
// that suffices. Empty: no factor of this many bits works with any offset. Every step bounds the
// offset from both sides, and the bounds are convex in the factor. Results of more than 14 bits are
// not searched.
std::optional<IntegerRule> equal_rule(const FloatRule& rule, const Steps& steps,
                                      int most_factor_bits = ir::arch::dsp48e2.factor_bits(),
                                      int most_shift = 46);

}  // namespace kumiki::gen::arith
