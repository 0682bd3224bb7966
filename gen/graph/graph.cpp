// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/graph.h"

#include <algorithm>
#include <array>

namespace kumiki::gen::graph {

std::string_view name_of(Preparation::Kind kind) {
  static constexpr std::array<std::string_view, 5> names{"plus", "minus", "from", "times", "over"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<TensorId> all_inputs(const Graph& graph) {
  std::vector<TensorId> all{graph.input};
  all.insert(all.end(), graph.more_inputs.begin(), graph.more_inputs.end());
  return all;
}

std::size_t numbers_of_image(const Graph& graph) {
  std::size_t numbers = 0;
  for (const TensorId id : all_inputs(graph)) numbers += count(graph.tensors[id].shape);
  return numbers;
}

arith::Interval numbers_of_input(const Graph& graph, TensorId input) {
  arith::Interval numbers = numbers_of(graph.tensors[input]);
  for (const Node& n : graph.nodes) {
    const auto* embed = std::get_if<Embed>(&n.op);
    if (embed == nullptr || n.inputs != std::vector{input}) continue;
    const arith::Interval indices = embed->indices();
    numbers = {std::max(numbers.lo, indices.lo), std::min(numbers.hi, indices.hi)};
  }
  return numbers;
}

Ends ends_of(const Graph& graph, const Node& node) {
  Ends ends{.inputs = {}, .output = &graph.tensors[node.output]};
  for (const TensorId id : node.inputs) ends.inputs.push_back(&graph.tensors[id]);
  return ends;
}

namespace {

std::vector<arith::Interval> of_inputs(const Node& node, const std::vector<arith::Interval>& all) {
  std::vector<arith::Interval> numbers;
  for (const TensorId id : node.inputs) numbers.push_back(all[id]);
  return numbers;
}

}  // namespace

std::vector<arith::FloatRule> rules_of(const Graph& graph, const Node& node) {
  return std::visit([&](const auto& op) { return rules(op, ends_of(graph, node)); }, node.op);
}

arith::Interval reached_by(const Graph& graph, const Node& node,
                           const std::vector<arith::Interval>& numbers) {
  return std::visit(
      [&](const auto& op) { return reached(op, ends_of(graph, node), of_inputs(node, numbers)); },
      node.op);
}

std::vector<arith::Interval> reached_numbers(const Graph& graph) {
  std::vector<arith::Interval> all;
  for (const Tensor& t : graph.tensors) all.push_back(t.format.range());
  for (const TensorId id : all_inputs(graph)) all[id] = numbers_of_input(graph, id);
  for (const Node& n : graph.nodes) all[n.output] = reached_by(graph, n, all);
  return all;
}

std::vector<arith::Interval> reachable_of(const Graph& graph, const Node& node,
                                          const std::vector<arith::Interval>& numbers) {
  return std::visit(
      [&](const auto& op) {
        const arith::Interval first =
            node.inputs.empty() ? arith::Interval{} : numbers[node.inputs[0]];
        return reachable_sums(op, ends_of(graph, node), first);
      },
      node.op);
}

std::vector<arith::Interval> reachable_of(const Graph& graph, const Node& node) {
  return reachable_of(graph, node, reached_numbers(graph));
}

}  // namespace kumiki::gen::graph
