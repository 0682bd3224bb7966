// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/exact.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/layers/engine/op.h"

namespace kumiki::gen::engine {

std::string wide_weight(const graph::Conv& conv) {
  for (const std::int16_t w : conv.weights)
    if (w < -128 || w > 127) return fmt::format("a weight is {}; it must have 8 bits", w);
  return {};
}

std::string rounded_sum(const graph::Graph& g, const graph::Node& n) {
  const auto rules = graph::rules_of(g, n);
  std::vector<std::vector<arith::Interval>> sums;
  if (const auto* conv = std::get_if<graph::Conv>(&n.op))
    sums = wrapped_sums(*conv, g.tensors[n.inputs[0]]);
  else
    for (const arith::Interval& sum : graph::reachable_of(g, n)) sums.push_back({sum});
  for (std::size_t c = 0; c < rules.size(); ++c)
    if (std::ranges::any_of(
            sums[c], [&](const auto& s) { return arith::difference(rules[c], s).has_value(); }))
      return fmt::format("float32 rounds a sum of channel {} beyond 2^24", c);
  return {};
}

std::string other_sign(const graph::Graph& g, const graph::Node& n) {
  for (const graph::TensorId id : n.inputs)
    if (stored_less(g.tensors[id]) != stored_less(g.tensors[n.output]))
      return "its result has another sign than its input";
  return {};
}

}  // namespace kumiki::gen::engine
