// SPDX-License-Identifier: Apache-2.0
// Result axis i is input axis order[i]. With a view the input is seen as an array of these axes,
// and the result has any shape: channels among groups, or pixels made of channels.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

struct Transpose {
  static constexpr std::string_view name = "transpose";
  static constexpr std::string_view left_to_host = "another order of the numbers";
  static constexpr bool hands_on = true;
  std::vector<int> order;
  std::vector<int> view = {};  // empty: the axes of the input
  friend bool operator==(const Transpose&, const Transpose&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.sizes("order", self.order);
    f.sizes("view", self.view);
  }
};

void check(const Transpose& op, NodeCheck& node);
Compute computer(const Transpose& op, const Ends& ends);

}  // namespace kumiki::gen::graph

namespace kumiki::gen::pipeline {

class Behind;
class Lowering;
struct Source;
Source machines(Lowering& lowering, std::size_t node, const graph::Transpose& op);
std::int64_t slices_behind(const Behind& behind, std::size_t node, std::size_t read,
                           std::int64_t lanes, const graph::Transpose& op);

}  // namespace kumiki::gen::pipeline

namespace kumiki::gen::engine {

class Lowerer;
struct Job;
std::string no_unit(const graph::Graph& graph, const graph::Node& node, const graph::Transpose& op);
void to_engine(Lowerer& lowerer, const Job& job, const graph::Transpose& op);

}  // namespace kumiki::gen::engine

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::Transpose>);

}  // namespace kumiki::gen::onnx
