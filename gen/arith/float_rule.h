// SPDX-License-Identifier: Apache-2.0
// How onnxruntime reduces an accumulator to few bits: the 32-bit sum as float32, times a float32
// scale, clamped, to the nearest integer with ties to even, plus the zero point. QLinearMul adds
// the zero point in float32 and rounds then. The map is monotone, so the accumulators at which the
// next number begins define it completely. A rule that agrees with them agrees with every
// accumulator.
#pragma once
#include <cstdint>

#include "gen/arith/steps.h"

namespace kumiki::gen::arith {

struct FloatRule {
  float scale = 1;  // above 0, finite
  std::int64_t zero_point = 0;
  Interval range{-128, 127};      // of the result; includes the zero point
  bool zero_point_first = false;  // added before the sum is rounded
  friend bool operator==(const FloatRule&, const FloatRule&) = default;
};

// DesignError: a scale that is not a positive finite number, or a zero point outside the range.
void require_legal(const FloatRule& rule);

std::int64_t requantised(const FloatRule& rule, std::int32_t accumulator);

// The scale of a product in onnxruntime: float32, multiplied first, then divided.
inline float product_scale(float a, float b, float out) { return a * b / out; }

// Within `reachable`, of 32 bits (DesignError).
Steps steps_of(const FloatRule& rule, const Interval& reachable);

}  // namespace kumiki::gen::arith
