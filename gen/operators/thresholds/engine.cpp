// SPDX-License-Identifier: Apache-2.0
// Each channel times a factor, with a bias and a scale so that every result begins where it must
// (arith::stepped_rule). Biases are integers, so 256 steps may need a factor that is above 127:
// then the depthwise unit adds several words of the same number. With half as many columns as rows
// up to eight take no clock: the results of four pixels take as many to leave.
#include "gen/operators/thresholds/engine.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "gen/layers/engine/exact.h"
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

constexpr std::int64_t most_weight = 127, most_words = 8;

using graph::Graph;
using graph::Node;
using graph::Tensor;
using graph::Thresholds;

// Where results of a channel begin, over the stored numbers; negated if the channel falls.
arith::Steps steps_of(const Thresholds& t, const Tensor& in, std::size_t channel) {
  const int sign = t.falls(channel) ? -1 : 1, less = stored_less(in);
  const arith::Interval stored = in.format.range() - arith::Exact{less};
  return arith::steps_of([&, sign, less](std::int64_t v) { return t.at(channel, sign * v + less); },
                         sign < 0 ? -stored : stored);
}

// A rule with these steps that a lane has exactly.
std::optional<arith::SteppedRule> rule_of(const arith::Steps& steps, const Thresholds& t,
                                          const Tensor& out, std::int64_t most_factor) {
  const arith::Interval range{t.lowest, arith::Exact{t.lowest} + t.levels};
  const auto zero_point =
      arith::as_word(std::clamp(arith::Exact{out.zero_point}, range.lo, range.hi));
  if (steps.at(arith::as_word(steps.reachable.lo)) == steps.at(arith::as_word(steps.reachable.hi)))
    return arith::SteppedRule{.factor = 0,
                              .offset = steps.first - zero_point,
                              .rule = {.scale = 1, .zero_point = zero_point, .range = range}};
  auto rule = arith::stepped_rule(steps, range, zero_point, most_factor);
  if (rule) {
    const arith::Interval sums{rule->factor * steps.reachable.lo + rule->offset,
                               rule->factor * steps.reachable.hi + rule->offset};
    if (arith::difference(rule->rule, sums)) rule.reset();
  }
  return rule;
}

std::string no_rule(std::size_t channel) {
  return fmt::format("channel {}: no scale begins its steps where they are", channel);
}

}  // namespace

StepRules step_rules(const Graph& g, const Node& n) {
  const auto& t = std::get<Thresholds>(n.op);
  const Tensor &in = g.tensors[n.inputs[0]], &out = g.tensors[n.output];
  StepRules s;
  for (std::size_t c = 0; c < static_cast<std::size_t>(in.shape[0]); ++c) {
    const auto rule = rule_of(steps_of(t, in, c), t, out, most_words * most_weight);
    if (!rule) return {.why_not = no_rule(c), .rules = {}};
    s.rules.push_back(*rule);
  }
  return s;
}

SteppedConv stepped_conv(const Graph& g, const Node& n, const Node& thresholds) {
  const auto& t = std::get<Thresholds>(thresholds.op);
  SteppedConv s{.steps = {}, .conv = std::get<graph::Conv>(n.op)};
  s.steps.why_not = wide_weight(s.conv);
  if (!s.steps.why_not.empty()) return s;
  const auto rules = graph::rules_of(g, n);
  const auto sums = graph::reachable_of(g, n);
  const std::size_t terms = s.conv.weights.size() / s.conv.bias.size();
  for (std::size_t c = 0; c < s.conv.bias.size(); ++c) {
    const int sign = t.falls(c) ? -1 : 1;
    const auto steps = arith::steps_of(
        [&](std::int64_t v) {
          return t.at(c, requantised(rules[c], static_cast<std::int32_t>(sign * v)));
        },
        sign < 0 ? -sums[c] : sums[c]);
    const auto weights = std::span(s.conv.weights).subspan(c * terms, terms);
    const std::int64_t most = arith::most_factor(weights, sign, 8);
    const auto rule =
        most > 0 ? rule_of(steps, t, g.tensors[thresholds.output], most) : std::nullopt;
    if (!rule) {
      s.steps.why_not = no_rule(c);
      return s;
    }
    for (std::int16_t& w : weights) w = static_cast<std::int16_t>(sign * rule->factor * w);
    s.conv.bias[c] = static_cast<std::int32_t>(sign * rule->factor * s.conv.bias[c] + rule->offset);
    s.steps.rules.push_back(*rule);
  }
  return s;
}

std::string no_unit(const Known& known, const Node& n, const Thresholds&) {
  // Of wider numbers the convolution before it says.
  return known.graph().tensors[n.inputs[0]].format.bits > 8 ? "" : known.rules(n).why_not;
}

void to_engine(Lowerer& l, const Job& j, const Thresholds& t) {
  const Node& n = l.node(j);
  const graph::TensorId input = n.inputs[0];
  const graph::Shape& s = l.tensor(n.output).shape;
  const int less = stored_less(l.tensor(n.output));
  const auto& rules = l.known().rules(n).rules;
  const std::int64_t largest = std::ranges::max(rules, {}, &arith::SteppedRule::factor).factor,
                     words = std::max(ceil_div(largest, most_weight), std::int64_t{1});
  l.walks(graph::Window{}, input, {s[1], s[2]}, [&](Part part) {
    part.walk.taps.assign(static_cast<std::size_t>(words), Tap(part.walk.taps[0]));
    Op op = l.plain(part, j.output, Unit::depthwise);
    const auto rows = static_cast<std::size_t>(l.shape().rows);
    for (std::size_t c = 0; c < rules.size(); ++c) {
      op.parameters[c] = {.bias = static_cast<std::int32_t>(rules[c].offset),
                          .factor = arith::float_factor(rules[c].rule.scale)};
      std::int64_t left = rules[c].factor;
      for (std::size_t word = 0; word < static_cast<std::size_t>(words) && l.has_weights();
           ++word) {
        const std::int64_t weight = std::min(left, most_weight);
        op.weights[(c / rows * static_cast<std::size_t>(words) + word) * rows + c % rows] =
            static_cast<std::int8_t>(t.falls(c) ? -weight : weight);
        left -= weight;
      }
    }
    op.zero_point = rules[0].rule.zero_point - less;
    op.lowest = t.lowest - less;
    op.highest = t.lowest + t.levels - less;
    l.add(j, input, part, std::move(op));
  });
}

}  // namespace kumiki::gen::engine
