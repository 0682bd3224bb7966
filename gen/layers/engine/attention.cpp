// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/attention.h"

#include <map>
#include <string>
#include <utility>

namespace kumiki::gen::engine {
namespace {

using graph::Graph;
using graph::MatMul;
using graph::Node;
using graph::Shape;
using graph::Tensor;
using graph::TensorId;
using graph::Transpose;

class InLines {
 public:
  InLines(const Graph& g, std::int64_t rows) : made_(g), rows_(static_cast<int>(rows)) {}

  Graph run() {
    for (Node& n : std::exchange(made_.nodes, {})) {
      if (const auto* softmax = std::get_if<graph::Softmax>(&n.op);
          softmax && softmax->groups > 1 && shape(n.inputs[0]).size() == 3 &&
          shape(n.inputs[0])[1] == 1) {
        by_lines(n, softmax->groups);
        continue;
      }
      const auto* product = std::get_if<MatMul>(&n.op);
      if (!product || product->lines != 0 || shape(n.inputs[0])[1] != 1)
        made_.nodes.push_back(std::move(n));
      else if (product->by_pixels == 0)
        score(n, product->groups);
      else
        mix(n, product->groups);
    }
    return std::move(made_);
  }

 private:
  const Shape& shape(TensorId id) const { return made_.tensors[id].shape; }
  TensorId add(Tensor t, const std::string& ending, Shape shape) {
    t.name += ending;
    t.shape = std::move(shape);
    made_.tensors.push_back(std::move(t));
    return made_.tensors.size() - 1;
  }

  void score(Node n, int heads) {
    const Shape& all = shape(n.output);
    const Shape lines{all[0] / heads, heads, all[2]};
    const TensorId scores = add(made_.tensors[n.output], "/lines", lines), output = n.output;
    n.op = MatMul{.groups = heads, .by_pixels = 0, .lines = 1};
    n.output = scores;
    made_.nodes.push_back(n);
    made_.nodes.push_back({.name = n.name + "/heads",
                           .op = Transpose{.order = {1, 0, 2}, .view = lines},
                           .inputs = {scores},
                           .output = output});
  }

  // Softmax of heads: a line for each.
  void by_lines(Node n, int heads) {
    const Shape all = shape(n.output), view{heads, all[0] / heads, all[2]},
                lines{all[0] / heads, heads, all[2]};
    const TensorId from = add(made_.tensors[n.inputs[0]], "/" + n.name + "/lines", lines),
                   to = add(made_.tensors[n.output], "/lines", lines);
    made_.nodes.push_back({.name = n.name + "/lines",
                           .op = Transpose{.order = {1, 0, 2}, .view = view},
                           .inputs = {n.inputs[0]},
                           .output = from});
    const TensorId output = n.output;
    std::get<graph::Softmax>(n.op).groups = 1;
    n.inputs = {from};
    n.output = to;
    made_.nodes.push_back(n);
    made_.nodes.push_back({.name = n.name + "/heads",
                           .op = Transpose{.order = {1, 0, 2}, .view = lines},
                           .inputs = {to},
                           .output = output});
  }

  // The second map with its channels as pixels.
  TensorId turned(TensorId id, const std::string& name) {
    const auto known = turned_.find(id);
    if (known != turned_.end()) return known->second;
    const Shape map = shape(id);
    const int blocks = map[0] / rows_;
    graph::Constant ones;
    for (int channel = 0; channel < map[0]; ++channel)
      for (int column = 0; column < rows_; ++column)
        ones.values.push_back(channel % rows_ == column ? 1 : 0);
    const TensorId constant = add({.name = name, .shape = {}, .format = {8, true}, .scale = 1},
                                  "/ones", {map[0], 1, rows_}),
                   to = add(made_.tensors[id], "/turned", {map[1] * map[2], blocks, rows_});
    made_.nodes.push_back(
        {.name = name + "/ones", .op = std::move(ones), .inputs = {}, .output = constant});
    made_.nodes.push_back({.name = name + "/turned",
                           .op = MatMul{.groups = blocks, .by_pixels = 0, .lines = 1},
                           .inputs = {constant, id},
                           .output = to});
    return turned_[id] = to;
  }

  void mix(Node n, int heads) {
    if (shape(n.inputs[1])[0] % rows_ != 0) return made_.nodes.push_back(std::move(n));
    const TensorId values = turned(n.inputs[1], n.name), scores = n.inputs[0];
    const Shape all = shape(scores);
    const Shape view{heads, all[0] / heads, all[2]};
    const TensorId lines =
        add(made_.tensors[scores], "/" + n.name + "/lines", {all[0] / heads, heads, all[2]});
    made_.nodes.push_back({.name = n.name + "/lines",
                           .op = Transpose{.order = {1, 0, 2}, .view = view},
                           .inputs = {scores},
                           .output = lines});
    n.op = MatMul{.groups = heads, .by_pixels = 0, .lines = 2};
    n.inputs = {lines, values};
    made_.nodes.push_back(std::move(n));
  }

  Graph made_;
  int rows_;
  std::map<TensorId, TensorId> turned_;
};

}  // namespace

Graph with_heads_in_lines(const Graph& graph, const EngineShape& shape) {
  return InLines(graph, shape.rows).run();
}

}  // namespace kumiki::gen::engine
