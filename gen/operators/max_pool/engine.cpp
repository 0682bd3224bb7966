// SPDX-License-Identifier: Apache-2.0
// MaxPool on the engine.
#include "gen/layers/engine/exact.h"
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {

std::string no_unit(const Known& known, const graph::Node& n, const graph::MaxPool&) {
  return other_sign(known.graph(), n);
}

void to_engine(Lowerer& l, const Job& j, const graph::MaxPool&) {
  const graph::TensorId input = l.node(j).inputs[0];
  l.walks(j, [&](Part part) {
    part.walk.pad = -128;
    l.add(j, input, part, l.plain(part, j.output, Unit::maximum));
  });
}

}  // namespace kumiki::gen::engine
