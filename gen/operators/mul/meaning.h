// SPDX-License-Identifier: Apache-2.0
// onnxruntime's QLinearMul: the numbers less their zero points, multiplied, times the scale a * b /
// result in float32, plus the zero point of the result, rounded to the nearest, ties to even.
#pragma once
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Mul {
  static constexpr std::string_view name = "mul";
  static constexpr std::string_view left_to_host = "two maps are multiplied";
  static constexpr std::size_t inputs = 2;
  friend bool operator==(const Mul&, const Mul&) = default;
};

void check(const Mul& op, NodeCheck& node);
Compute computer(const Mul& op, const Ends& ends);

// The rule for the product of the two numbers less their zero points.
arith::FloatRule rule_of_mul(const Tensor& a, const Tensor& b, const Tensor& out);
std::int32_t multiplied(const Tensor& a, const Tensor& b, const Tensor& out, std::int32_t qa,
                        std::int32_t qb);

// Whether the scale of the rule is a normal number for which the product of two bytes stays within
// 32 bits.
bool is_scale_of_mul(float scale);
inline constexpr std::string_view scales_of_mul = "from 2^-126 to 2^14";

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Mul)
KUMIKI_SLICES_BEHIND(Mul)
KUMIKI_ON_ENGINE(Mul)
KUMIKI_FROM_ONNX(Mul)
