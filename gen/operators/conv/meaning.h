// SPDX-License-Identifier: Apache-2.0
// Sums of products with both zero points subtracted, plus the bias, requantised by FloatRule.
// Padding is the zero point of the input, so it adds nothing. A dense layer is a 1 x 1 kernel on a
// 1 x 1 map.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

struct Conv {
  static constexpr std::string_view name = "conv";
  Window window;
  int groups = 1;
  // [out][in / groups][row][column], with zero points subtracted.
  std::vector<std::int16_t> weights;
  std::vector<std::int32_t> bias;  // [out]
  std::vector<float> scales;       // [out], or one for all: arith::product_scale
  friend bool operator==(const Conv&, const Conv&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    window_fields(f, self.window);
    f.number("groups", self.groups, 1);
    f.list("scales", self.scales);
    f.list("bias", self.bias);
    f.list("weights", self.weights);
  }
};

void check(const Conv& op, NodeCheck& node);
Compute computer(const Conv& op, const Ends& ends);
// The same without vector instructions.
Compute plain_computer(const Conv& op, const Ends& ends);
std::vector<arith::FloatRule> rules(const Conv& op, const Ends& ends);
std::vector<arith::Interval> reachable_sums(const Conv& op, const Ends& ends,
                                            const arith::Interval& number);
// The same for any number in the input's format, without padding.
std::vector<arith::Interval> reachable_of(const Conv& conv, const Tensor& in);

}  // namespace kumiki::gen::graph

namespace kumiki::gen::pipeline {

class Behind;
class Lowering;
struct Source;
Source machines(Lowering& lowering, std::size_t node, const graph::Conv& op);
std::int64_t slices_behind(const Behind& behind, std::size_t node, std::size_t read,
                           std::int64_t lanes, const graph::Conv& op);

}  // namespace kumiki::gen::pipeline

namespace kumiki::gen::array {

class Lowerer;
void to_array(Lowerer& lowerer, std::size_t node, const graph::Conv& op);

}  // namespace kumiki::gen::array

namespace kumiki::gen::engine {

class Lowerer;
struct Job;
std::string no_unit(const graph::Graph& graph, const graph::Node& node, const graph::Conv& op);
void to_engine(Lowerer& lowerer, const Job& job, const graph::Conv& op);

}  // namespace kumiki::gen::engine

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::Conv>);

}  // namespace kumiki::gen::onnx
