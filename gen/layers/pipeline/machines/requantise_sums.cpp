// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/requantise_sums.h"

#include <algorithm>
#include <numeric>

#include "gen/graph/requantise.h"

namespace kumiki::gen::pipeline {

std::vector<ChannelSums> sums_of(const graph::Graph& g, const graph::Node& node) {
  const graph::Tensor& in = g.tensors[node.inputs[0]];
  const auto reached = reachable_of(g, node);
  std::vector<ChannelSums> all;
  for (std::size_t c = 0; c < reached.size(); ++c) {
    std::int64_t offset = 0;
    if (const auto* conv = std::get_if<graph::Conv>(&node.op)) {
      const auto terms = static_cast<std::ptrdiff_t>(conv->weights.size() / conv->bias.size());
      const auto first = conv->weights.begin() + static_cast<std::ptrdiff_t>(c) * terms;
      offset =
          conv->bias[c] - in.zero_point * std::accumulate(first, first + terms, std::int64_t{0});
    } else {
      offset = -std::int64_t{in.zero_point} * in.shape[1] * in.shape[2];
    }
    all.push_back({.sums = reached[c] - arith::Exact{offset}, .offset = offset});
  }
  return all;
}

std::optional<std::vector<std::int64_t>> offsets_of(const graph::Graph& g,
                                                    const graph::Node& node) {
  const auto sums = sums_of(g, node);
  const auto rules = rules_of(g, node);
  std::vector<std::int64_t> all;
  for (std::size_t c = 0; c < rules.size(); ++c) {
    if (!graph::is_as_it_is(rules[c], sums[c].sums + arith::Exact{sums[c].offset})) return {};
    all.push_back(sums[c].offset + rules[c].zero_point);
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

}  // namespace kumiki::gen::pipeline
