// SPDX-License-Identifier: Apache-2.0
// The mean of every channel: the sum with zero points subtracted, requantised with the scale input
// / (result * pixels) in float32.
#pragma once
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

struct GlobalAverage {
  static constexpr std::string_view name = "global_average";
  friend bool operator==(const GlobalAverage&, const GlobalAverage&) = default;
};

void check(const GlobalAverage& op, NodeCheck& node);
Compute computer(const GlobalAverage& op, const Ends& ends);
std::vector<arith::FloatRule> rules(const GlobalAverage& op, const Ends& ends);
std::vector<arith::Interval> reachable_sums(const GlobalAverage& op, const Ends& ends,
                                            const arith::Interval& number);

}  // namespace kumiki::gen::graph

namespace kumiki::gen::pipeline {

class Behind;
class Lowering;
struct Source;
Source machines(Lowering& lowering, std::size_t node, const graph::GlobalAverage& op);
std::int64_t slices_behind(const Behind& behind, std::size_t node, std::size_t read,
                           std::int64_t lanes, const graph::GlobalAverage& op);

}  // namespace kumiki::gen::pipeline

namespace kumiki::gen::array {

class Lowerer;
void to_array(Lowerer& lowerer, std::size_t node, const graph::GlobalAverage& op);

}  // namespace kumiki::gen::array

namespace kumiki::gen::engine {

class Lowerer;
struct Job;
std::string no_unit(const graph::Graph& graph, const graph::Node& node,
                    const graph::GlobalAverage& op);
void to_engine(Lowerer& lowerer, const Job& job, const graph::GlobalAverage& op);

}  // namespace kumiki::gen::engine

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::GlobalAverage>);

}  // namespace kumiki::gen::onnx
