// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/graph.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiki::gen::graph {

std::size_t count(const Shape& shape) {
  std::size_t all = 1;
  for (const int n : shape) all *= static_cast<std::size_t>(n);
  return all;
}

bool Window::sees_nothing(int axis, int length) const {
  const auto a = static_cast<std::size_t>(axis);
  for (std::int64_t position = 0; position < positions(axis, length); ++position) {
    const std::int64_t begin = position * stride[a] - before[a];
    // The first tap that is not before the map.
    const std::int64_t tap = begin >= 0 ? 0 : (-begin + dilation[a] - 1) / dilation[a];
    if (tap >= kernel[a] || begin + tap * dilation[a] >= length) return true;
  }
  return false;
}

std::string to_string(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::string_view name_of(const Operator& op) {
  static constexpr std::array<std::string_view, std::variant_size_v<Operator>> names{
      "conv",    "add",       "max_pool", "global_average", "lookup",      "concat",
      "reshape", "transpose", "arg_max",  "thresholds",     "average_pool"};
  return names[op.index()];
}

std::string with_article(const Operator& op) {
  const std::string_view name = name_of(op);
  const bool is_vowel = std::string_view("aeiou").find(name.front()) != std::string_view::npos;
  return fmt::format("{} {}", is_vowel ? "an" : "a", name);
}

std::string_view name_of(Preparation::Kind kind) {
  static constexpr std::array<std::string_view, 5> names{"plus", "minus", "from", "times", "over"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<arith::FloatRule> rules_of(const Graph& graph, const Node& node) {
  const Tensor& in = graph.tensors[node.inputs[0]];
  const Tensor& out = graph.tensors[node.output];
  arith::FloatRule rule{.zero_point = out.zero_point, .range = out.format.range()};
  std::vector<arith::FloatRule> all;
  if (const auto* conv = std::get_if<Conv>(&node.op)) {
    for (std::size_t c = 0; c < conv->bias.size(); ++c) {
      rule.scale = conv->scales[conv->scales.size() == 1 ? 0 : c];
      all.push_back(rule);
    }
  } else if (std::holds_alternative<GlobalAverage>(node.op)) {
    const auto pixels = static_cast<float>(in.shape[1] * in.shape[2]);
    rule.scale = in.scale / (out.scale * pixels);
    all.assign(static_cast<std::size_t>(out.shape[0]), rule);
  }
  return all;
}

namespace {

// Of inputs less their zero point.
std::vector<arith::Interval> sums_of(const Conv& conv, const arith::Interval& number) {
  std::vector<arith::Interval> all;
  const std::size_t terms = conv.weights.size() / conv.bias.size();
  for (std::size_t c = 0; c < conv.bias.size(); ++c) {
    // All weights of a sign come to their extremes together.
    std::int64_t positive = 0, negative = 0;
    for (std::size_t t = c * terms; t < (c + 1) * terms; ++t)
      (conv.weights[t] < 0 ? negative : positive) += conv.weights[t];
    all.push_back(number * positive + number * negative + conv.bias[c]);
  }
  return all;
}

}  // namespace

arith::Interval reached_by(const Graph& graph, const Node& node,
                           const std::vector<arith::Interval>& numbers) {
  const arith::Interval& in = numbers[node.inputs[0]];
  if (const auto* lookup = std::get_if<Lookup>(&node.op)) {
    const auto lowest = graph.tensors[node.inputs[0]].format.range().lo;
    const auto from = lookup->values.begin() + static_cast<std::ptrdiff_t>(in.lo - lowest);
    const auto [least, most] =
        std::minmax_element(from, from + static_cast<std::ptrdiff_t>(in.span()) + 1);
    return {*least, *most};
  }
  if (const auto* steps = std::get_if<Thresholds>(&node.op))
    return {steps->lowest, arith::Exact{steps->lowest} + steps->levels};
  if (std::holds_alternative<MaxPool>(node.op) || std::holds_alternative<Reshape>(node.op) ||
      std::holds_alternative<Transpose>(node.op))
    return in;
  if (std::holds_alternative<Concat>(node.op)) {
    arith::Interval all = in;
    for (const TensorId id : node.inputs) all = hull(all, numbers[id]);
    return all;
  }
  return graph.tensors[node.output].format.range();
}

std::vector<arith::Interval> reached_numbers(const Graph& graph) {
  std::vector<arith::Interval> all;
  for (const Tensor& t : graph.tensors) all.push_back(t.format.range());
  for (const Node& n : graph.nodes) all[n.output] = reached_by(graph, n, all);
  return all;
}

std::vector<arith::Interval> reachable_of(const Conv& conv, const Tensor& in) {
  return sums_of(conv, in.format.range() - in.zero_point);
}

std::vector<arith::Interval> reachable_of(const Graph& graph, const Node& node,
                                          const std::vector<arith::Interval>& numbers) {
  const Tensor& in = graph.tensors[node.inputs[0]];
  const arith::Interval number = numbers[node.inputs[0]] - in.zero_point;
  // Padding is the zero point, and who makes other sums of these may rely on that of nothing.
  if (const auto* conv = std::get_if<Conv>(&node.op))
    return sums_of(*conv, hull(number, arith::Interval{}));
  if (!std::holds_alternative<GlobalAverage>(node.op)) return {};
  return std::vector<arith::Interval>(static_cast<std::size_t>(in.shape[0]),
                                      number * arith::Exact{in.shape[1] * in.shape[2]});
}

std::vector<arith::Interval> reachable_of(const Graph& graph, const Node& node) {
  return reachable_of(graph, node, reached_numbers(graph));
}

}  // namespace kumiki::gen::graph
