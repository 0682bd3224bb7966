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

// The same numbers in other lines or columns.
void shift(Lowerer& l, const Job& j, graph::TensorId input, std::size_t axis, std::int64_t first) {
  const graph::Shape& s = l.tensor(input).shape;
  l.walks(graph::Window{}, input, {s[1], s[2]}, [&](Part part) {
    part.walk.blocks = l.location(input).map.blocks();
    part.first[axis - 1] += first;
    l.add(j, input, part,
          moved(l, j, part, {0, s[0]},
                [](std::int64_t c, std::int64_t from, std::int64_t) { return c == from; }));
  });
}

}  // namespace

std::string no_unit(const Known& known, const graph::Node& n, const graph::Concat&) {
  return other_sign(known.graph(), n);
}

void to_engine(Lowerer& l, const Job& j, const graph::Concat& op) {
  const auto axis = static_cast<std::size_t>(op.axis);
  std::int64_t first = 0;
  for (const graph::TensorId id : l.node(j).inputs) {
    if (axis > 0) {
      if (!l.is_in(id, j.output)) shift(l, j, id, axis, first);
    } else if (l.is_outside(j.output)) {
      if (!l.is_outside(id)) l.store_into(id, j.output, first);
    } else if (l.is_outside(id)) {
      l.load_into(id, j.output, first);
    } else if (!l.is_in(id, j.output)) {
      move(l, j, id, first);
    }
    first += l.tensor(id).shape[axis];
  }
}

}  // namespace kumiki::gen::engine
