// SPDX-License-Identifier: Apache-2.0
// onnxruntime's QLinearMul: the numbers less their zero points, multiplied, times the scale a * b /
// result in float32, plus the zero point of the result, rounded to the nearest, ties to even.
#pragma once
#include "gen/operators/operator.h"

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

namespace kumiki::gen::pipeline {

class Behind;
class Lowering;
struct Source;
Source machines(Lowering& lowering, std::size_t node, const graph::Mul& op);
std::int64_t slices_behind(const Behind& behind, std::size_t node, std::size_t read,
                           std::int64_t lanes, const graph::Mul& op);

}  // namespace kumiki::gen::pipeline

namespace kumiki::gen::engine {

class Lowerer;
struct Job;
std::string no_unit(const graph::Graph& graph, const graph::Node& node, const graph::Mul& op);
void to_engine(Lowerer& lowerer, const Job& job, const graph::Mul& op);

}  // namespace kumiki::gen::engine

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::Mul>);

}  // namespace kumiki::gen::onnx
