// SPDX-License-Identifier: Apache-2.0
// Concat on the engine: the inputs that were not made where they are needed.
#include "gen/layers/engine/exact.h"
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

// Channels that begin in the middle of a block are moved by products with a weight of 1.
void move(Lowerer& l, const Job& j, graph::TensorId input, std::int64_t channel) {
  const std::int64_t channels = l.tensor(input).shape[0], rows = l.shape().rows,
                     lanes = l.shape().columns;
  graph::Node copy = l.node(j);
  copy.inputs = {input};
  const std::int64_t blocks = l.held(input).map.blocks();
  l.walks(copy, input, [&](const Part& part) {
    const std::int64_t first = channel / lanes, tiles = ceil_div(channel + channels, lanes) - first;
    Op op{.unit = Unit::products,
          .walk = part.walk,
          .first_tile = first,
          .tiles = tiles,
          .first_channel = channel,
          .channels = channels,
          .target = l.target(j.output, part),
          .parameters = l.unchanged(tiles * lanes)};
    op.walk.blocks = blocks;
    for (std::int64_t t = first; t < first + tiles && l.has_weights(); ++t)
      for (std::int64_t row = 0; row < blocks * rows; ++row)
        for (std::int64_t lane = 0; lane < lanes; ++lane)
          op.weights.push_back(t * lanes + lane - channel == row && row < channels ? 1 : 0);
    l.add(j, input, part, std::move(op));
  });
}

}  // namespace

std::string no_unit(const graph::Graph& g, const graph::Node& n, const graph::Concat&) {
  return other_sign(g, n);
}

void to_engine(Lowerer& l, const Job& j, const graph::Concat&) {
  std::int64_t channel = 0;
  for (const graph::TensorId id : l.node(j).inputs) {
    if (l.is_outside(j.output)) {
      if (!l.is_outside(id)) l.store_into(id, j.output, channel);
    } else if (l.is_outside(id))
      l.load_into(id, j.output, channel);
    else if (!l.is_in(id, j.output, channel))
      move(l, j, id, channel);
    channel += l.tensor(id).shape[0];
  }
}

}  // namespace kumiki::gen::engine
