// SPDX-License-Identifier: Apache-2.0
// A larger map: every number fills a block of factor[0] rows and factor[1] columns (nearest
// neighbour by whole factors).
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

struct Resize {
  static constexpr std::string_view name = "resize";
  static constexpr std::string_view left_to_host = "every number of a map several times";
  static constexpr bool hands_on = true;
  static constexpr int largest_factor = 1024;
  std::array<int, 2> factor{1, 1};
  friend bool operator==(const Resize&, const Resize&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.pair("factor", self.factor, std::array{1, 1});
  }
};

void check(const Resize& op, NodeCheck& node);
Compute computer(const Resize& op, const Ends& ends);

}  // namespace kumiki::gen::graph

namespace kumiki::gen::pipeline {

class Behind;
class Lowering;
struct Source;
Source machines(Lowering& lowering, std::size_t node, const graph::Resize& op);
std::int64_t slices_behind(const Behind& behind, std::size_t node, std::size_t read,
                           std::int64_t lanes, const graph::Resize& op);

}  // namespace kumiki::gen::pipeline

namespace kumiki::gen::engine {

class Lowerer;
struct Job;
std::string no_unit(const graph::Graph& graph, const graph::Node& node, const graph::Resize& op);
void to_engine(Lowerer& lowerer, const Job& job, const graph::Resize& op);

}  // namespace kumiki::gen::engine

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::Resize>);

}  // namespace kumiki::gen::onnx
