// SPDX-License-Identifier: Apache-2.0
// The maximum of a window; padding is smaller than everything.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

struct MaxPool {
  static constexpr std::string_view name = "max_pool";
  static constexpr bool hands_on = true;
  Window window;
  friend bool operator==(const MaxPool&, const MaxPool&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    window_fields(f, self.window);
  }
};

void check(const MaxPool& op, NodeCheck& node);
Compute computer(const MaxPool& op, const Ends& ends);

}  // namespace kumiki::gen::graph

namespace kumiki::gen::pipeline {

class Behind;
class Lowering;
struct Source;
Source machines(Lowering& lowering, std::size_t node, const graph::MaxPool& op);
std::int64_t slices_behind(const Behind& behind, std::size_t node, std::size_t read,
                           std::int64_t lanes, const graph::MaxPool& op);

}  // namespace kumiki::gen::pipeline

namespace kumiki::gen::array {

class Lowerer;
void to_array(Lowerer& lowerer, std::size_t node, const graph::MaxPool& op);

}  // namespace kumiki::gen::array

namespace kumiki::gen::engine {

class Lowerer;
struct Job;
std::string no_unit(const graph::Graph& graph, const graph::Node& node, const graph::MaxPool& op);
void to_engine(Lowerer& lowerer, const Job& job, const graph::MaxPool& op);

}  // namespace kumiki::gen::engine

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::MaxPool>);

}  // namespace kumiki::gen::onnx
