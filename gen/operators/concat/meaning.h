// SPDX-License-Identifier: Apache-2.0
// The inputs after each other along the channels; all have the format and scale of the result.
#pragma once
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

struct Concat {
  static constexpr std::string_view name = "concat";
  static constexpr std::string_view left_to_host = "maps are joined";
  static constexpr bool hands_on = true;
  static constexpr std::size_t inputs = 0;  // one or more
  friend bool operator==(const Concat&, const Concat&) = default;
};

void check(const Concat& op, NodeCheck& node);
Compute computer(const Concat& op, const Ends& ends);

}  // namespace kumiki::gen::graph

namespace kumiki::gen::pipeline {

class Behind;
class Lowering;
struct Source;
Source machines(Lowering& lowering, std::size_t node, const graph::Concat& op);
std::int64_t slices_behind(const Behind& behind, std::size_t node, std::size_t read,
                           std::int64_t lanes, const graph::Concat& op);

}  // namespace kumiki::gen::pipeline

namespace kumiki::gen::engine {

class Lowerer;
struct Job;
std::string no_unit(const graph::Graph& graph, const graph::Node& node, const graph::Concat& op);
void to_engine(Lowerer& lowerer, const Job& job, const graph::Concat& op);

}  // namespace kumiki::gen::engine

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::Concat>);

}  // namespace kumiki::gen::onnx
