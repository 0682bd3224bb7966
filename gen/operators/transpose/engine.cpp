// SPDX-License-Identifier: Apache-2.0
// Transpose on the engine: products with weights of 1.
#include "gen/layers/engine/lowerer.h"
#include "gen/layers/engine/moves.h"

namespace kumiki::gen::engine {

std::string no_unit(const Known& known, const graph::Node& n, const graph::Transpose&) {
  return no_moves(known, n);
}

void to_engine(Lowerer& l, const Job& j, const graph::Transpose&) { move(l, j); }

}  // namespace kumiki::gen::engine
