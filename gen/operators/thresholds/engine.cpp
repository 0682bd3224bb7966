// SPDX-License-Identifier: Apache-2.0
// Thresholds of bytes on the engine: each channel times a small factor, with a bias and a scale so
// that every result begins where it must (arith::stepped_rule).
#include <algorithm>

#include <fmt/format.h>

#include "gen/arith/stepped_rule.h"
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

using graph::Thresholds;

// Where results of a channel begin, over the stored numbers; negated if the channel falls.
arith::Steps steps_of(const Thresholds& t, const graph::Tensor& in, std::size_t channel) {
  const int sign = t.falls(channel) ? -1 : 1, less = stored_less(in);
  const arith::Interval stored = in.format.range() - arith::Exact{less};
  return arith::steps_of([&, sign, less](std::int64_t v) { return t.at(channel, sign * v + less); },
                         sign < 0 ? -stored : stored);
}

std::optional<arith::SteppedRule> rule_of(const Thresholds& t, const graph::Tensor& in,
                                          const graph::Tensor& out, std::size_t channel) {
  const arith::Interval range{t.lowest, arith::Exact{t.lowest} + t.levels};
  const auto zero_point =
      arith::as_word(std::clamp(arith::Exact{out.zero_point}, range.lo, range.hi));
  const arith::Steps steps = steps_of(t, in, channel);
  if (steps.at(arith::as_word(steps.reachable.lo)) == steps.at(arith::as_word(steps.reachable.hi)))
    return arith::SteppedRule{.factor = 0,
                              .offset = steps.first - zero_point,
                              .rule = {.scale = 1, .zero_point = zero_point, .range = range}};
  auto rule = arith::stepped_rule(steps, range, zero_point, 127);
  if (rule) {
    const arith::Exact most = rule->factor * 256 + std::abs(rule->offset);
    if (most > arith::most_scaled || arith::difference(rule->rule, {-most, most})) rule.reset();
  }
  return rule;
}

}  // namespace

std::string no_unit(const graph::Graph& g, const graph::Node& n, const Thresholds& t) {
  const graph::Tensor &in = g.tensors[n.inputs[0]], &out = g.tensors[n.output];
  for (std::size_t c = 0; c < static_cast<std::size_t>(in.shape[0]); ++c)
    if (!rule_of(t, in, out, c))
      return fmt::format("channel {}: no scale begins its steps where they are", c);
  return {};
}

void to_engine(Lowerer& l, const Job& j, const Thresholds& t) {
  const graph::Node& n = l.node(j);
  const graph::TensorId input = n.inputs[0];
  const graph::Tensor &in = l.tensor(input), &out = l.tensor(n.output);
  const int less = stored_less(out);
  std::vector<arith::SteppedRule> rules;
  for (std::size_t c = 0; c < static_cast<std::size_t>(in.shape[0]); ++c)
    rules.push_back(*rule_of(t, in, out, c));
  l.walks(graph::Window{}, input, {out.shape[1], out.shape[2]}, [&](const Part& part) {
    Op op = l.plain(part, j.output, Unit::depthwise);
    for (std::size_t c = 0; c < rules.size(); ++c) {
      op.parameters[c] = {.bias = static_cast<std::int32_t>(rules[c].offset),
                          .factor = arith::float_factor(rules[c].rule.scale)};
      if (l.has_weights())
        op.weights[c] = static_cast<std::int8_t>(t.falls(c) ? -rules[c].factor : rules[c].factor);
    }
    op.zero_point = rules[0].rule.zero_point - less;
    op.lowest = t.lowest - less;
    op.highest = t.lowest + t.levels - less;
    l.add(j, input, part, std::move(op));
  });
}

}  // namespace kumiki::gen::engine
