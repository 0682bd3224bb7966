// SPDX-License-Identifier: Apache-2.0
// Concat on the engine: the inputs that were not made where they are needed.
#include "gen/layers/engine/exact.h"
#include "gen/layers/engine/lowerer.h"
#include "gen/layers/engine/moves.h"

namespace kumiki::gen::engine {
namespace {

// Channels that begin in the middle of a block are moved by products with a weight of 1. If they
// begin in the middle of a tile, its first channels are moved from where they are to the same
// place: one more tap reads the target.
void move(Lowerer& l, const Job& j, graph::TensorId input, std::int64_t channel) {
  const graph::Shape& s = l.tensor(input).shape;
  l.walks(graph::Window{}, input, {s[1], s[2]}, [&](const Part& part) {
    const bool keeps =
        channel % l.shape().columns != 0 && follows(l.target(j.output, part), part.walk);
    const std::int64_t kept = keeps ? channel % l.shape().columns : 0, first = channel - kept;
    const std::int64_t blocks = l.location(input).map.blocks(), rows = l.shape().rows;
    Part read = part;
    if (kept == 0) {
      read.walk.blocks = blocks;
    } else {
      // Blocks of the input as taps, so that the target is one more.
      for (std::int64_t block = 1; block < blocks; ++block) {
        read.walk.taps.push_back(part.walk.taps[0]);
        read.walk.taps.back().offset += block * part.walk.block_step;
      }
      read.walk.taps.push_back(part.walk.taps[0]);
      read.walk.taps.back().offset = 0;  // from the target, whose place is not known yet
    }
    Op op = moved(l, j, read, {first, s[0] + kept},
                  [&](std::int64_t c, std::int64_t from, std::int64_t tap) {
                    if (kept == 0) return c - channel == from;
                    if (tap < blocks) return c - channel == tap * rows + from;
                    return c < channel && c % rows == from;
                  });
    op.reads_target = keeps;
    l.add(j, input, read, std::move(op));
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
