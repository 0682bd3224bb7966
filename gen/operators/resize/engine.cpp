// SPDX-License-Identifier: Apache-2.0
// Resize on the engine: every number once for each of its places.
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {

std::string no_unit(const Known&, const graph::Node&, const graph::Resize&) { return {}; }

void to_engine(Lowerer& l, const Job& j, const graph::Resize& resize) {
  const graph::TensorId input = l.node(j).inputs[0];
  const graph::Shape& s = l.tensor(input).shape;
  for (int dy = 0; dy < resize.factor[0]; ++dy)
    for (int dx = 0; dx < resize.factor[1]; ++dx)
      l.walks(graph::Window{}, input, {s[1], s[2]}, [&](Part part) {
        const std::array<int, 2> place{dy, dx};
        for (const std::size_t a : {0, 1}) {
          part.first[a] = part.first[a] * resize.factor[a] + place[a];
          part.step[a] *= resize.factor[a];
        }
        l.add(j, input, part, l.plain(part, j.output, Unit::depthwise));
      });
}

}  // namespace kumiki::gen::engine
