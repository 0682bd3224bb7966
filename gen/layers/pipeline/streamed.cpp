// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/streamed.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "gen/graph/transposes.h"
#include "gen/layers/pipeline/messages.h"

namespace kumiki::gen::pipeline {
namespace {

using graph::Conv;
using graph::Graph;
using graph::Node;
using graph::Shape;
using graph::TensorId;

Shape map_of(Shape shape) {
  while (shape.size() < 3) shape.insert(shape.begin() + 1, 1);
  return shape;
}

void require_machine(const Node& n) {
  std::visit(
      [&]<class Op>(const Op&) {
        if constexpr (requires { Op::no_machine; }) throw NoMachine(n, std::string(Op::no_machine));
      },
      n.op);
}

// Whether the operator sees its input as an array of axes, whatever shape it has: of these axes if
// it names none.
bool views(graph::Operator& op, const Shape& axes) {
  return std::visit(
      [&](auto& o) {
        if constexpr (requires { o.view; }) {
          if (o.view.empty()) o.view = axes;
          return true;
        }
        return false;
      },
      op);
}

class Streamed {
 public:
  explicit Streamed(const Graph& g)
      : g_(g), stands_for_(g.tensors.size()), is_wanted_(g.tensors.size()) {
    for (const TensorId id : g.outputs) is_wanted_[id] = true;
    for (auto n = g.nodes.rbegin(); n != g.nodes.rend(); ++n)
      for (const TensorId id : n->inputs) is_wanted_[id] = is_wanted_[id] || is_wanted_[n->output];
  }

  Graph run() {
    out_.name = g_.name;
    out_.preparation = g_.preparation;
    out_.input = add(g_.input);
    for (const TensorId id : g_.more_inputs) out_.more_inputs.push_back(add(id));
    for (const Node& n : g_.nodes) {
      if (!is_wanted_[n.output]) continue;
      if (is_free(n.op)) {
        stands_for_[n.output] = stands_for_[n.inputs[0]];
        continue;
      }
      require_machine(n);
      take(n);
    }
    for (const TensorId id : g_.outputs) out_.outputs.push_back(stands_for_[id]);
    return std::move(out_);
  }

 private:
  TensorId add(TensorId id) {
    graph::Tensor tensor = g_.tensors[id];
    tensor.shape = map_of(tensor.shape);
    out_.tensors.push_back(std::move(tensor));
    return stands_for_[id] = out_.tensors.size() - 1;
  }

  // Its inputs have another shape here, the same for all, and it does not look at shapes.
  bool takes_any_shape(const Node& n) const {
    if (!graph::works_by_number(g_, n)) return false;
    const Shape& real = out_.tensors[stands_for_[n.inputs[0]]].shape;
    return real != map_of(g_.tensors[n.inputs[0]].shape) &&
           std::ranges::all_of(
               n.inputs, [&](TensorId id) { return out_.tensors[stands_for_[id]].shape == real; });
  }

  // The same pixels in other lines: the same stream.
  TensorId with_lines(TensorId id, const Shape& shape) {
    const auto known = in_lines_.find({id, shape});
    if (known != in_lines_.end()) return known->second;
    graph::Tensor tensor = out_.tensors[id];
    tensor.name += fmt::format("/{}", graph::to_string(shape));
    tensor.shape = shape;
    out_.tensors.push_back(std::move(tensor));
    const TensorId to = out_.tensors.size() - 1;
    out_.nodes.push_back(
        {.name = out_.tensors[to].name, .op = graph::Reshape{}, .inputs = {id}, .output = to});
    return in_lines_[{id, shape}] = to;
  }

  void take(const Node& n) {
    Node made = n;
    if (auto* join = std::get_if<graph::Concat>(&made.op); join != nullptr && join->axis > 0)
      join->axis += 3 - static_cast<int>(g_.tensors[n.output].shape.size());
    if (takes_any_shape(n)) {
      for (TensorId& id : made.inputs) id = stands_for_[id];
      const Shape real = out_.tensors[made.inputs[0]].shape;
      made.output = add(n.output);
      out_.tensors[made.output].shape = real;
      out_.nodes.push_back(std::move(made));
      return;
    }
    for (TensorId& id : made.inputs) {
      const Shape seen = map_of(g_.tensors[id].shape), real = out_.tensors[stands_for_[id]].shape;
      const Shape& axes = g_.tensors[id].shape;
      id = stands_for_[id];
      if (axes != real && views(made.op, axes)) continue;
      if (seen == real) continue;
      if (seen[0] == real[0] && seen[1] * seen[2] == real[1] * real[2]) {
        id = with_lines(id, seen);
        continue;
      }
      auto* conv = std::get_if<Conv>(&made.op);
      if (!conv || seen[1] != 1 || seen[2] != 1 || conv->groups != 1)
        throw NoMachine(n, fmt::format("it reads {} as {}, and is not a dense layer",
                                       graph::to_string(real), graph::to_string(seen)));
      conv->window = {};
      conv->window.kernel = {real[1], real[2]};
    }
    made.output = add(n.output);
    out_.nodes.push_back(std::move(made));
  }

  const Graph& g_;
  std::vector<TensorId> stands_for_;  // by tensor of the graph
  std::vector<bool> is_wanted_;       // an output depends on it
  std::map<std::pair<TensorId, Shape>, TensorId> in_lines_;
  Graph out_;
};

}  // namespace

NoMachine::NoMachine(const Node& node, const std::string& why)
    : DesignError(code::no_machine, fmt::format("a pipeline has no machine for {}, {}: {}",
                                                node.name, graph::with_article(node.op), why)) {}

void require_integers(const Node& node, int integers) {
  if (integers == 0)
    throw NoMachine(node,
                    "it is rounded as float32 rounds it; import the model with --averages sums, "
                    "which computes it in integers");
}

void require_w(const Node& node, const packing::Limits& limits) {
  if (!limits.w_multiplexer)
    throw NoMachine(node, fmt::format("its slices add four numbers, and those of {} add three; "
                                      "choose a device of ultrascale or ultrascale+",
                                      limits.family));
}

Graph streamed(const Graph& g) { return Streamed(g).run(); }

}  // namespace kumiki::gen::pipeline
