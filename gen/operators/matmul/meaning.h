// SPDX-License-Identifier: Apache-2.0
// The product of two matrices that are both results: [rows][terms] and [terms][columns], or one
// such product for each place of a first axis. The numbers less their zero points are multiplied
// and added, and the sums are requantised by onnxruntime's rule.
#pragma once
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct MatMul {
  static constexpr std::string_view name = "matmul";
  static constexpr std::string_view left_to_host = "two results are multiplied";
  static constexpr std::string_view no_machine =
      "its second matrix is a result, and pipelines have machines for constant weights";
  static constexpr std::size_t inputs = 2;
  friend bool operator==(const MatMul&, const MatMul&) = default;
};

void check(const MatMul& op, NodeCheck& node);
Compute computer(const MatMul& op, const Ends& ends);
std::vector<arith::FloatRule> rules(const MatMul& op, const Ends& ends);
std::vector<arith::Interval> reachable_sums(const MatMul& op, const Ends& ends,
                                            const arith::Interval& number);

}  // namespace kumiki::gen::graph

KUMIKI_FROM_ONNX(MatMul)
