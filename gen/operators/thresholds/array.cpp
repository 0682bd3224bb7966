// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/thresholds/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "gen/arith/stepped_rule.h"
#include "gen/arith/steps.h"
#include "gen/layers/array/lowering/lowerer.h"
#include "gen/operators/conv/array.h"

namespace kumiki::gen::array {
namespace {

using graph::Conv;
using graph::Graph;
using graph::Node;

NodeLayer layer_of_steps(const Graph& graph, const Node& node, const Node& thresholds,
                         int data_bits, int coefficient_bits) {
  const auto& t = std::get<graph::Thresholds>(thresholds.op);
  Conv conv = std::get<Conv>(node.op);
  graph::Tensor out = graph.tensors[thresholds.output];
  NodeLayer result;
  if (!offset_of(out, data_bits)) {
    result.why = fmt::format("{} is {}: the array has numbers of {} bits", out.name,
                             to_string(out.format), data_bits);
    return result;
  }
  const arith::Interval range{t.lowest, arith::Exact{t.lowest} + t.levels};
  // Any zero point works, with other offsets.
  out.zero_point = static_cast<int>(std::clamp(arith::Exact{out.zero_point}, range.lo, range.hi));
  out.shape = graph.tensors[node.output].shape;
  const auto rules = graph::rules_of(graph, node);
  const auto sums = graph::reachable_of(graph, node);
  const std::size_t channels = conv.bias.size(), terms = conv.weights.size() / channels;
  conv.scales.clear();
  std::int64_t largest = 1;
  std::size_t falling = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    const bool falls = t.falls(c);
    const int sign = falls ? -1 : 1;
    const std::span<std::int16_t> weights{conv.weights.data() + c * terms, terms};
    const std::int64_t most = arith::most_factor(weights, sign, coefficient_bits);
    if (most == 0) {
      result.why = fmt::format("channel {}: {} do not fit {} bits", c,
                               falls ? "weights, negated for steps that fall," : "weights",
                               coefficient_bits);
      return result;
    }
    const auto steps = arith::steps_of(
        [&](std::int64_t v) {
          return t.at(c, requantised(rules[c], static_cast<std::int32_t>(sign * v)));
        },
        falls ? -sums[c] : sums[c]);
    const auto rule = arith::stepped_rule(steps, range, out.zero_point, most);
    if (!rule) {
      result.why = fmt::format(
          "channel {}: no scale begins its steps where they are, with weights times 1 to {}", c,
          most);
      return result;
    }
    for (std::int16_t& w : weights) w = static_cast<std::int16_t>(sign * rule->factor * w);
    // The sum of only zero points is also reachable, so this is within most_scaled.
    conv.bias[c] = static_cast<std::int32_t>(sign * rule->factor * conv.bias[c] + rule->offset);
    conv.scales.push_back(rule->rule.scale);
    largest = std::max(largest, rule->factor);
    falling += falls ? 1 : 0;
  }
  result = layer_of(conv, graph.tensors[node.inputs[0]], out, data_bits, coefficient_bits);
  if (!result.layer) return result;
  const arith::Interval kept = range - arith::Exact{result.output_offset};
  if (kept != arith::signed_range(data_bits))
    result.layer->clamp = {static_cast<std::int64_t>(kept.lo), static_cast<std::int64_t>(kept.hi)};
  if (largest > 1)
    result.why += fmt::format("{}weights times 1 to {}", result.why.empty() ? "" : "; ", largest);
  if (falling > 0)
    result.why += fmt::format("{}{} of {} channels negated", result.why.empty() ? "" : "; ",
                              falling, channels);
  return result;
}

// The path from a node to the Thresholds node that is the only reader of its results, through nodes
// that do nothing; the Thresholds node is the last one. Empty: there is none.
std::vector<std::size_t> steps_behind(const Lowerer& l, std::size_t i) {
  const Graph& graph = l.graph();
  std::vector<std::size_t> path;
  graph::TensorId at = graph.nodes[i].output;
  const int channels = graph.tensors[at].shape[0];
  for (std::size_t k = i + 1; k < graph.nodes.size(); ++k) {
    const Node& n = graph.nodes[k];
    if (std::ranges::find(n.inputs, at) == n.inputs.end()) continue;
    if (l.readers(at) > 1) return {};
    path.push_back(k);
    if (std::holds_alternative<graph::Thresholds>(n.op)) {
      // The channels of both must be the same numbers.
      if (graph.tensors[at].shape[0] != channels) return {};
      return path;
    }
    if (!is_free(n.op)) return {};
    at = n.output;
  }
  return {};
}

}  // namespace

bool with_steps(Lowerer& l, std::size_t i) {
  const auto path = steps_behind(l, i);
  if (path.empty()) return false;
  const std::size_t steps = path.back();
  const Graph& graph = l.graph();
  NodeLayer found = layer_of_steps(graph, graph.nodes[i], graph.nodes[steps], l.data_bits(),
                                   l.coefficient_bits());
  if (!found.layer) {
    l.leave(steps, found.why);
    return false;
  }
  l.add(i, std::move(found));
  for (const std::size_t k : path)
    l.join(k, i, k == steps ? "steps as results leave" : "the same numbers in the same order");
  return true;
}

}  // namespace kumiki::gen::array
