// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ends.h"

#include <algorithm>
#include <optional>

#include "gen/graph/readers.h"

namespace kumiki::gen::engine {
namespace {

using graph::Graph;
using graph::Node;
using graph::Shape;
using graph::TensorId;
using graph::Transpose;

// The order of a host whose array becomes this map by the transpose, which is in its simplest form.
// If several do, one with the axes of the host's tensor.
std::optional<HostOrder> order_of(const Transpose& to_map, const Shape& map, const Shape& host) {
  std::optional<HostOrder> found;
  HostOrder order;
  do {
    const Transpose moves{.order = {order.axes.begin(), order.axes.end()},
                          .view = order.shape(map)};
    if (graph::simplest(moves, {}) != to_map) continue;
    if (moves.view == host) return order;
    if (!found) found = order;
  } while (std::ranges::next_permutation(order.axes).found);
  return found;
}

// The host prepares the numbers of each channel of this input.
bool is_prepared(const Graph& g, std::size_t input) {
  return std::ranges::any_of(g.preparation, [&](const graph::Preparation& p) {
    return p.input == input && p.values.size() > 1;
  });
}

}  // namespace

Shape HostOrder::shape(const Shape& map) const {
  Shape host(3);
  for (std::size_t i = 0; i < 3; ++i) host[static_cast<std::size_t>(axes[i])] = map[i];
  return host;
}

std::size_t HostOrder::place(const Shape& map, std::size_t index) const {
  std::array<std::size_t, 3> at{};  // by axis of the host
  for (std::size_t i = 3; i-- > 0;) {
    const auto size = static_cast<std::size_t>(map[i]);
    at[static_cast<std::size_t>(axes[i])] = index % size;
    index /= size;
  }
  const Shape host = shape(map);
  return (at[0] * static_cast<std::size_t>(host[1]) + at[1]) * static_cast<std::size_t>(host[2]) +
         at[2];
}

graph::Numbers HostOrder::to_map(const Shape& map, std::span<const std::int32_t> numbers) const {
  graph::Numbers made(numbers.size());
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = numbers[place(map, i)];
  return made;
}

graph::Numbers HostOrder::to_host(const Shape& map, std::span<const std::int32_t> numbers) const {
  graph::Numbers made(numbers.size());
  for (std::size_t i = 0; i < made.size(); ++i) made[place(map, i)] = numbers[i];
  return made;
}

WithoutEnds without_end_transposes(const Graph& g) {
  WithoutEnds ends{.graph = g};
  Graph& made = ends.graph;
  const graph::Readers readers = graph::readers_of(g);
  const auto is_output = [&](TensorId id) { return std::ranges::count(g.outputs, id) > 0; };
  const auto transpose = [&](std::size_t n) { return std::get<Transpose>(g.nodes[n].op); };
  std::vector<bool> is_left_out(g.nodes.size());

  const std::vector<TensorId> inputs = graph::all_inputs(g);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorId id = inputs[i];
    HostOrder& order = ends.inputs.emplace_back();
    // All readers are the same transpose.
    const std::vector<std::size_t>& all = readers[id];
    if (all.empty() || is_output(id)) continue;
    const Node& first = g.nodes[all[0]];
    if (!std::ranges::all_of(all, [&](std::size_t n) {
          return std::holds_alternative<Transpose>(g.nodes[n].op) &&
                 !is_output(g.nodes[n].output) &&
                 g.tensors[g.nodes[n].output].shape == g.tensors[first.output].shape &&
                 graph::simplest(transpose(n), g.tensors[id].shape) ==
                     graph::simplest(transpose(all[0]), g.tensors[id].shape);
        }))
      continue;
    const Shape &map = g.tensors[first.output].shape, &host = g.tensors[id].shape;
    const auto found = order_of(graph::simplest(transpose(all[0]), host), map, host);
    if (!found || (is_prepared(g, i) && found->shape(map) != host)) continue;
    order = *found;
    made.tensors[id].shape = map;
    for (const std::size_t n : all) {
      is_left_out[n] = true;
      for (Node& reader : made.nodes) std::ranges::replace(reader.inputs, g.nodes[n].output, id);
    }
  }

  for (std::size_t o = 0; o < g.outputs.size(); ++o) {
    const TensorId id = g.outputs[o];
    HostOrder& order = ends.outputs.emplace_back();
    const auto maker = std::ranges::find(g.nodes, id, &Node::output);
    if (maker == g.nodes.end() || !readers[id].empty() || std::ranges::count(g.outputs, id) > 1 ||
        !std::holds_alternative<Transpose>(maker->op))
      continue;
    const auto n = static_cast<std::size_t>(maker - g.nodes.begin());
    const TensorId from = made.nodes[n].inputs[0];  // an input, where its transpose is left out
    if (std::ranges::count(inputs, from) > 0 || std::ranges::count(made.outputs, from) > 0)
      continue;
    const Shape &map = g.tensors[from].shape, &host = g.tensors[id].shape;
    const auto found = order_of(graph::inverse(graph::simplest(transpose(n), map)), map, host);
    if (!found) continue;
    order = *found;
    is_left_out[n] = true;
    made.outputs[o] = from;
    made.tensors[from].name = g.tensors[id].name;
    made.tensors[id].name += "/host";
  }

  std::vector<Node> nodes;
  for (std::size_t n = 0; n < made.nodes.size(); ++n)
    if (!is_left_out[n]) nodes.push_back(std::move(made.nodes[n]));
  made.nodes = std::move(nodes);
  return ends;
}

}  // namespace kumiki::gen::engine
