// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiki::gen::graph {

std::size_t count(const Shape& shape) {
  std::size_t all = 1;
  for (const int n : shape) all *= static_cast<std::size_t>(n);
  return all;
}

std::string to_string(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::string_view name_of(const Operator& op) {
  static constexpr std::array<std::string_view, std::variant_size_v<Operator>> names{
      "conv",   "add",     "max_pool",  "global_average", "lookup",
      "concat", "reshape", "transpose", "arg_max",        "thresholds"};
  return names[op.index()];
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

std::vector<arith::Interval> reachable_of(const Conv& conv, const Tensor& in) {
  // Padding is the zero point: within the range.
  const arith::Interval number = in.format.range() - in.zero_point;
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

std::vector<arith::Interval> reachable_of(const Graph& graph, const Node& node) {
  const Tensor& in = graph.tensors[node.inputs[0]];
  if (const auto* conv = std::get_if<Conv>(&node.op)) return reachable_of(*conv, in);
  if (!std::holds_alternative<GlobalAverage>(node.op)) return {};
  const arith::Interval sum =
      (in.format.range() - in.zero_point) * arith::Exact{in.shape[1] * in.shape[2]};
  return std::vector<arith::Interval>(static_cast<std::size_t>(in.shape[0]), sum);
}

}  // namespace kumiki::gen::graph
