// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/batch.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gen/graph/readers.h"

namespace kumiki::gen::engine {
namespace {

using graph::Conv;
using graph::Graph;
using graph::Node;
using graph::Shape;
using graph::TensorId;

bool is_vector(const Graph& g, TensorId id) {
  return g.tensors[id].shape[1] == 1 && g.tensors[id].shape[2] == 1;
}

// A dense layer is a convolution whose window is its whole map.
bool is_dense(const Graph& g, const Node& n) {
  const auto* conv = std::get_if<Conv>(&n.op);
  if (!conv || !is_vector(g, n.output)) return false;
  const Shape& map = g.tensors[n.inputs[0]].shape;
  const graph::Window& w = conv->window;
  constexpr std::array<int, 2> nothing{0, 0};
  return conv->groups == 1 && w.kernel == std::array{map[1], map[2]} && w.before == nothing &&
         w.after == nothing;
}

// What computes a vector number by number.
bool keeps_vectors(const Graph& g, const Node& n) {
  return (std::holds_alternative<graph::Lookup>(n.op) || std::holds_alternative<graph::Add>(n.op) ||
          std::holds_alternative<graph::Thresholds>(n.op)) &&
         is_vector(g, n.output) &&
         std::ranges::all_of(n.inputs, [&](TensorId id) { return is_vector(g, id); });
}

// By node: dense layers behind which there is nothing else, and what follows them.
std::vector<bool> dense_end(const Graph& g, const graph::Readers& readers) {
  std::vector<bool> is_end(g.nodes.size());
  for (std::size_t n = g.nodes.size(); n-- > 0;)
    is_end[n] = (is_dense(g, g.nodes[n]) || keeps_vectors(g, g.nodes[n])) &&
                std::ranges::all_of(readers[g.nodes[n].output],
                                    [&](std::size_t reader) { return is_end[reader]; });
  std::vector<bool> is_behind(g.tensors.size());  // a dense layer of the end
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    const Node& node = g.nodes[n];
    is_end[n] = is_end[n] && (std::holds_alternative<Conv>(node.op) ||
                              std::ranges::any_of(
                                  node.inputs, [&](TensorId id) { return bool{is_behind[id]}; }));
    is_behind[node.output] = is_end[n];
  }
  return is_end;
}

class Batcher {
 public:
  Batcher(const Graph& g, std::int64_t images)
      : g_(g),
        images_(static_cast<std::size_t>(images)),
        readers_(graph::readers_of(g)),
        is_end_(dense_end(g, readers_)),
        is_together_(g.tensors.size()),
        own_(images_, std::vector<TensorId>(g.tensors.size())),
        together_(g.tensors.size()) {}

  Batch run() {
    batch_.graph.name = g_.name;
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) is_together_[g_.nodes[n].output] = is_end_[n];
    add_inputs();
    for (std::size_t image = 0; image < images_; ++image)
      for (std::size_t n = 0; n < g_.nodes.size(); ++n)
        if (!is_end_[n]) add(g_.nodes[n], image);
    for (TensorId id = 0; id < g_.tensors.size(); ++id)
      if (!is_together_[id] && is_read_at_end(id)) join(id);
    for (std::size_t n = 0; n < g_.nodes.size(); ++n)
      if (is_end_[n]) add_for_all(g_.nodes[n]);
    batch_.inputs = ends(graph::all_inputs(g_));
    batch_.outputs = ends(g_.outputs);
    for (std::size_t o = 0; o < g_.outputs.size(); ++o)
      for (std::size_t image = 0; image < (is_together_[g_.outputs[o]] ? 1 : images_); ++image)
        batch_.graph.outputs.push_back(batch_.outputs[image][o].tensor);
    return std::move(batch_);
  }

 private:
  bool is_read_at_end(TensorId id) const {
    return std::ranges::any_of(readers_[id], [&](std::size_t n) { return bool{is_end_[n]}; });
  }

  TensorId add_tensor(TensorId of, std::size_t columns, const std::string& ending) {
    graph::Tensor t = g_.tensors[of];
    t.name += ending;
    t.shape[2] *= static_cast<int>(columns);
    batch_.graph.tensors.push_back(std::move(t));
    return batch_.graph.tensors.size() - 1;
  }
  void add_own(TensorId id, std::size_t image) {
    own_[image][id] = add_tensor(id, 1, fmt::format(":{}", image));
  }
  void add_together(TensorId id) { together_[id] = add_tensor(id, images_, ":all"); }

  // An input that only the end reads is a map of all images from the beginning.
  void add_inputs() {
    std::vector<TensorId> all;
    for (const TensorId id : graph::all_inputs(g_)) {
      is_together_[id] =
          !readers_[id].empty() && std::ranges::count(g_.outputs, id) == 0 &&
          std::ranges::all_of(readers_[id], [&](std::size_t n) { return bool{is_end_[n]}; });
      if (is_together_[id]) {
        add_together(id);
        all.push_back(together_[id]);
        continue;
      }
      for (std::size_t image = 0; image < images_; ++image) {
        add_own(id, image);
        all.push_back(own_[image][id]);
      }
    }
    batch_.graph.input = all[0];
    batch_.graph.more_inputs.assign(all.begin() + 1, all.end());
  }

  void add(const Node& node, std::size_t image) {
    Node made = node;
    made.name += fmt::format(":{}", image);
    for (TensorId& id : made.inputs) id = own_[image][id];
    add_own(node.output, image);
    made.output = own_[image][node.output];
    batch_.graph.nodes.push_back(std::move(made));
  }

  void join(TensorId id) {
    add_together(id);
    Node made{.name = g_.tensors[id].name + ":all",
              .op = graph::Concat{.axis = 2},
              .inputs = {},
              .output = together_[id]};
    for (std::size_t image = 0; image < images_; ++image) made.inputs.push_back(own_[image][id]);
    batch_.graph.nodes.push_back(std::move(made));
  }

  void add_for_all(const Node& node) {
    Node made = node;
    if (auto* conv = std::get_if<Conv>(&made.op))
      conv->window.stride = {1, g_.tensors[node.inputs[0]].shape[2]};
    for (TensorId& id : made.inputs) id = together_[id];
    add_together(node.output);
    made.output = together_[node.output];
    batch_.graph.nodes.push_back(std::move(made));
  }

  std::vector<std::vector<End>> ends(const std::vector<TensorId>& of) const {
    std::vector<std::vector<End>> all(images_);
    for (std::size_t image = 0; image < images_; ++image)
      for (const TensorId id : of) {
        if (is_together_[id])
          all[image].push_back(
              {together_[id], static_cast<std::int64_t>(image) * g_.tensors[id].shape[2]});
        else
          all[image].push_back({own_[image][id]});
      }
    return all;
  }

  const Graph& g_;
  std::size_t images_;
  graph::Readers readers_;
  std::vector<bool> is_end_;                // by node
  std::vector<bool> is_together_;           // by tensor: it has no map of its own for an image
  std::vector<std::vector<TensorId>> own_;  // by image and tensor
  std::vector<TensorId> together_;          // by tensor
  Batch batch_;
};

}  // namespace

Batch batched(Graph g, std::int64_t images) {
  if (images > 1) return Batcher(g, images).run();
  Batch one{.graph = std::move(g), .inputs = {{}}, .outputs = {{}}};
  for (const TensorId id : graph::all_inputs(one.graph)) one.inputs[0].push_back({id});
  for (const TensorId id : one.graph.outputs) one.outputs[0].push_back({id});
  return one;
}

}  // namespace kumiki::gen::engine
