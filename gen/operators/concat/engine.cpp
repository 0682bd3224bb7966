// SPDX-License-Identifier: Apache-2.0
// Concat on the engine: the inputs that were not made where they are needed.
#include "gen/layers/engine/exact.h"
#include "gen/layers/engine/lowerer.h"
#include "gen/layers/engine/moves.h"

namespace kumiki::gen::engine {
namespace {

// Channels that begin in the middle of a block are moved by products with a weight of 1.
void move(Lowerer& l, const Job& j, graph::TensorId input, std::int64_t channel) {
  const graph::Shape& s = l.tensor(input).shape;
  l.walks(graph::Window{}, input, {s[1], s[2]}, [&](const Part& part) {
    l.add(j, input, part,
          moved(l, j, input, part, {channel, s[0]},
                [&](std::int64_t c, std::int64_t from, std::int64_t) {
                  return c - channel == from;
                }));
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
