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
        normalise(n, softmax->groups);
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

  // The first two axes of a view change places.
  void turn(std::string name, const Shape& view, TensorId from, TensorId to) {
    made_.nodes.push_back({.name = std::move(name),
                           .op = Transpose{.order = {1, 0, 2}, .view = view},
                           .inputs = {from},
                           .output = to});
  }
  // Heads as they are among the channels of a map, and as lines.
  static Shape in_channels(const Shape& map, int heads) { return {heads, map[0] / heads, map[2]}; }
  static Shape in_lines(const Shape& map, int heads) { return {map[0] / heads, heads, map[2]}; }

  // A node whose result has lines; others read its channels.
  void push_with_lines(Node n, int heads) {
    const Shape lines = in_lines(shape(n.output), heads);
    const TensorId to = add(made_.tensors[n.output], "/lines", lines),
                   output = std::exchange(n.output, to);
    made_.nodes.push_back(n);
    turn(n.name + "/heads", lines, to, output);
  }

  void score(Node n, int heads) {
    n.op = MatMul{.groups = heads, .by_pixels = 0, .lines = 1};
    push_with_lines(std::move(n), heads);
  }

  // The input of a node with a line for each head.
  void read_lines(Node& n, int heads) {
    const Shape all = shape(n.inputs[0]);
    const TensorId lines =
        add(made_.tensors[n.inputs[0]], "/" + n.name + "/lines", in_lines(all, heads));
    turn(n.name + "/lines", in_channels(all, heads), n.inputs[0], lines);
    n.inputs[0] = lines;
  }

  void normalise(Node n, int heads) {
    read_lines(n, heads);
    std::get<graph::Softmax>(n.op).groups = 1;
    push_with_lines(std::move(n), heads);
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
    n.inputs[1] = turned(n.inputs[1], n.name);
    read_lines(n, heads);
    n.op = MatMul{.groups = heads, .by_pixels = 0, .lines = 2};
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
