// SPDX-License-Identifier: Apache-2.0
// Reshape on the engine: the pixels of a map in other lines, copied a piece of a line at a time.
#include <algorithm>

#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {

std::string no_unit(const Known& known, const graph::Node& n, const graph::Reshape&) {
  const graph::Graph& g = known.graph();
  if (g.tensors[n.inputs[0]].shape[0] != g.tensors[n.output].shape[0])
    return "it makes pixels of channels";
  return {};
}

void to_engine(Lowerer& l, const Job& j, const graph::Reshape&) {
  const graph::TensorId input = l.node(j).inputs[0];
  const Map from = l.location(input).map;
  const std::int64_t width = l.tensor(j.output).shape[2];
  if (from.phases != std::array<std::int64_t, 2>{1, 1})
    has_no_unit(l.node(j), "something else reads its map with a stride");
  for (std::int64_t pixel = 0, count = 0; pixel < from.height * from.width; pixel += count) {
    const std::int64_t x = pixel % from.width;
    count = std::min(from.width - x, width - pixel % width);
    const Part part{.walk = {.from = from.place(0, pixel / from.width, x) - from.base,
                             .block_step = from.block(),
                             .width = count,
                             .pitch = count,
                             .taps = {{.offset = 0, .from = {0, 0}, .to = {1, count}}}},
                    .first = {pixel / width, pixel % width}};
    l.add(j, input, part, l.plain(part, j.output, Unit::depthwise));
  }
}

}  // namespace kumiki::gen::engine
