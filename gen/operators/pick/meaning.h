// SPDX-License-Identifier: Apache-2.0
// Numbers of the input that are picked axis by axis, and one constant number: a part of a tensor,
// its numbers in another order or several times, or numbers around it.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

struct Pick {
  static constexpr std::string_view name = "pick";
  static constexpr std::string_view left_to_host = "some of the numbers, or numbers around them";
  static constexpr bool hands_on = true;
  std::vector<int> view = {};  // the axes of the input as they are seen; empty: its own. With a
                               // view the result has any shape.
  int fill = 0;                // the constant number
  // Four numbers each: an axis, the first place, the step to the next one, how many. An axis
  // without runs is taken whole. The place -1 is the constant, with the step 0.
  std::vector<std::int32_t> runs = {};
  friend bool operator==(const Pick&, const Pick&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.sizes("view", self.view);
    f.number("fill", self.fill, 0);
    f.list("runs", self.runs);
  }

  void add_runs(int axis, const std::vector<std::int64_t>& places);
  bool fills() const;
};
// The places that are picked from each axis of the view.
std::vector<std::vector<int>> places_of(const Pick& op, const Tensor& in);

void check(const Pick& op, NodeCheck& node);
Compute computer(const Pick& op, const Ends& ends);
arith::Interval reached(const Pick& op, const Ends& ends,
                        const std::vector<arith::Interval>& numbers);

}  // namespace kumiki::gen::graph

namespace kumiki::gen::pipeline {

class Behind;
class Lowering;
struct Source;
Source machines(Lowering& lowering, std::size_t node, const graph::Pick& op);
std::int64_t slices_behind(const Behind& behind, std::size_t node, std::size_t read,
                           std::int64_t lanes, const graph::Pick& op);

}  // namespace kumiki::gen::pipeline

namespace kumiki::gen::engine {

class Lowerer;
struct Job;
std::string no_unit(const graph::Graph& graph, const graph::Node& node, const graph::Pick& op);
void to_engine(Lowerer& lowerer, const Job& job, const graph::Pick& op);

}  // namespace kumiki::gen::engine

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::Pick>);

}  // namespace kumiki::gen::onnx
