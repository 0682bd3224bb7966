// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/lowerer.h"
#include "gen/layers/engine/normal.h"

namespace kumiki::gen::engine {

std::string no_unit(const Known& known, const graph::Node& n, const graph::LayerNorm& op) {
  if (op.averages == 1) return "it averages all pixels in float32";
  return why_not_normalised(known, n, op.integers);
}

void to_engine(Lowerer& l, const Job& j, const graph::LayerNorm&) { normalise(l, j); }

}  // namespace kumiki::gen::engine
