// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/requantise_sums.h"

#include <algorithm>
#include <numeric>

#include "gen/graph/requantise.h"

namespace kumiki::gen::pipeline {

std::vector<requant::Channel> channels_of(const graph::Graph& g, const graph::Node& node) {
  const graph::Tensor& in = g.tensors[node.inputs[0]];
  const auto rules = rules_of(g, node);
  const auto reached = reachable_of(g, node);
  std::vector<requant::Channel> all;
  for (std::size_t c = 0; c < reached.size(); ++c) {
    std::int64_t bias = 0;
    if (const auto* conv = std::get_if<graph::Conv>(&node.op)) {
      const auto terms = static_cast<std::ptrdiff_t>(conv->weights.size() / conv->bias.size());
      const auto first = conv->weights.begin() + static_cast<std::ptrdiff_t>(c) * terms;
      bias = conv->bias[c] - in.zero_point * std::accumulate(first, first + terms, std::int64_t{0});
    } else {
      bias = -std::int64_t{in.zero_point} * in.shape[1] * in.shape[2];
    }
    all.push_back(
        {.rule = rules[c], .accumulators = reached[c] - arith::Exact{bias}, .bias = bias});
  }
  return all;
}

std::optional<std::vector<std::int64_t>> offsets_of(const graph::Graph& g,
                                                    const graph::Node& node) {
  std::vector<std::int64_t> all;
  for (const requant::Channel& c : channels_of(g, node)) {
    const auto& rule = std::get<arith::FloatRule>(c.rule);
    if (!graph::is_as_it_is(rule, c.accumulators + arith::Exact{c.bias})) return {};
    all.push_back(c.bias + rule.zero_point);
  }
  return all;
}

arith::Format as_numbers(const arith::Format& sums, const arith::Format& tensor) {
  constexpr int most_operand_bits = 8;
  return tensor.bits <= most_operand_bits || tensor.bits < sums.bits ? tensor : sums;
}

bool are_all_zero(const std::vector<std::int64_t>& offsets) {
  return std::ranges::all_of(offsets, [](std::int64_t offset) { return offset == 0; });
}

Passes passes_of(const Stream& stream, const graph::Tensor& tensor) {
  return {.count = stream.height / tensor.shape[1], .channels = tensor.shape[0]};
}

}  // namespace kumiki::gen::pipeline
