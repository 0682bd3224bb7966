// SPDX-License-Identifier: Apache-2.0
// A convolution on the engine: products of all channels of a group, or of each channel by itself.
#include <algorithm>
#include <numeric>

#include "gen/layers/engine/exact.h"
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

using graph::Conv;

// The weights of a convolution by channel of the result, of the input as it is stored, and tap.
struct Kernel {
  const Conv& conv;
  std::int64_t columns;  // that are channels
  std::int64_t channels_in, group_in, group_out;
  std::int64_t at(std::int64_t out, std::int64_t in, std::int64_t tap) const {
    const std::int64_t taps = conv.window.taps(), channel = in % channels_in;
    if (out >= std::ssize(conv.bias) || in >= channels_in * columns ||
        channel / group_in != out / group_out)
      return 0;
    if (columns > 1) tap = tap * columns + in / channels_in;
    return conv
        .weights[static_cast<std::size_t>((out * group_in + channel % group_in) * taps + tap)];
  }
};

std::int64_t terms_of(const Conv& conv) { return std::ssize(conv.weights) / std::ssize(conv.bias); }

std::function<std::int64_t(std::int64_t)> sums_of(const Conv& conv) {
  return [&conv, terms = terms_of(conv)](std::int64_t c) {
    return std::accumulate(conv.weights.begin() + c * terms, conv.weights.begin() + (c + 1) * terms,
                           std::int64_t{0});
  };
}

// What the lanes do with the sums; thresholds behind them are rules of their own.
using Rules = std::vector<arith::SteppedRule>;
std::vector<Parameter> parameters_of(const Lowerer& l, const Job& j, const Conv& conv,
                                     const Rules& steps, std::int64_t channels) {
  auto all = l.parameters_of(l.node(j), channels, sums_of(conv), conv.bias);
  for (std::size_t c = 0; c < steps.size(); ++c)
    all[c].factor = arith::float_factor(steps[c].rule.scale);
  return all;
}
void set_range(const Lowerer& l, const Job& j, const Rules& steps, Op& op) {
  if (!j.steps) return l.set_range(op, l.node(j));
  const int less = stored_less(l.tensor(l.graph().nodes[*j.steps].output));
  const arith::FloatRule& rule = steps[0].rule;
  op.zero_point = rule.zero_point - less;
  op.lowest = arith::as_word(rule.range.lo) - less;
  op.highest = arith::as_word(rule.range.hi) - less;
}

Op depthwise(Lowerer& l, const Job& j, const Conv& conv, const Rules& steps, const Part& part) {
  const std::int64_t rows = l.shape().rows, terms = terms_of(conv);
  Op op = l.plain(part, j.output, Unit::depthwise);
  op.weights.clear();
  for (std::int64_t tile = 0; tile < op.tiles && l.has_weights(); ++tile)
    for (std::int64_t tap = 0; tap < part.walk.words(); ++tap)
      for (std::int64_t c = tile * rows; c < (tile + 1) * rows; ++c)
        op.weights.push_back(static_cast<std::int8_t>(
            c < std::ssize(conv.bias) ? conv.weights[static_cast<std::size_t>(c * terms + tap)]
                                      : 0));
  op.parameters = parameters_of(l, j, conv, steps, op.tiles * rows);
  set_range(l, j, steps, op);
  return op;
}

void products(Lowerer& l, const Job& j, const Conv& conv, const Rules& steps, const Part& part) {
  const graph::TensorId input = l.node(j).inputs[0];
  const std::int64_t channels_in = l.tensor(input).shape[0], channels = std::ssize(conv.bias);
  const Kernel kernel{.conv = conv,
                      .columns = l.unfolded_columns(input),
                      .channels_in = channels_in,
                      .group_in = channels_in / conv.groups,
                      .group_out = channels / conv.groups};
  const Walk& walk = part.walk;
  const std::int64_t rows = l.shape().rows, lanes = l.shape().columns,
                     tiles = ceil_div(channels, lanes), all = l.location(input).map.blocks();
  const auto parameters = parameters_of(l, j, conv, steps, tiles * lanes);
  // Tiles whose groups lie in the same blocks are one operation.
  const auto blocks_of = [&](std::int64_t tile) {
    if (conv.groups == 1) return std::pair<std::int64_t, std::int64_t>{0, all};
    const std::int64_t last = std::min((tile + 1) * lanes, channels) - 1,
                       from = tile * lanes / kernel.group_out * kernel.group_in,
                       to = (last / kernel.group_out + 1) * kernel.group_in;
    return std::pair{from / rows, ceil_div(to, rows)};
  };
  for (std::int64_t tile = 0; tile < tiles;) {
    const auto blocks = blocks_of(tile);
    const std::int64_t first = tile;
    while (tile < tiles && blocks_of(tile) == blocks) ++tile;
    Op op{.unit = Unit::products,
          .walk = walk,
          .first_tile = first,
          .tiles = tile - first,
          .first_channel = first * lanes,
          .channels = std::min(tile * lanes, channels) - first * lanes,
          .target = l.target(j.output, part),
          .parameters = {parameters.begin() + first * lanes, parameters.begin() + tile * lanes}};
    op.walk.from = blocks.first * walk.block_step;
    op.walk.blocks = blocks.second - blocks.first;
    for (std::int64_t t = first; t < tile && l.has_weights(); ++t)
      for (std::int64_t tap = 0; tap < std::ssize(walk.taps) * walk.repeats; ++tap)
        for (std::int64_t in = blocks.first * rows; in < blocks.second * rows; ++in)
          for (std::int64_t lane = 0; lane < lanes; ++lane)
            op.weights.push_back(static_cast<std::int8_t>(kernel.at(t * lanes + lane, in, tap)));
    set_range(l, j, steps, op);
    l.add(j, input, part, std::move(op));
  }
}

}  // namespace

std::string no_unit(const Known& known, const graph::Node& n, const Conv& conv) {
  const std::string wide = wide_weight(conv);
  return wide.empty() ? rounded_sum(known.graph(), n) : wide;
}

void to_engine(Lowerer& l, const Job& j, const Conv& of_node) {
  static const Rules none;
  const SteppedConv* stepped = j.steps ? &l.known().stepped(l.node(j)) : nullptr;
  const Conv& conv = stepped ? stepped->conv : of_node;
  const Rules& rules = stepped ? stepped->steps.rules : none;
  const graph::TensorId input = l.node(j).inputs[0];
  const bool by_channel = conv.groups > 1 && conv.groups == l.tensor(input).shape[0] &&
                          conv.groups == std::ssize(conv.bias);
  l.walks(j, [&](const Part& part) {
    if (by_channel)
      l.add(j, input, part, depthwise(l, j, conv, rules, part));
    else
      products(l, j, conv, rules, part);
  });
}

}  // namespace kumiki::gen::engine
