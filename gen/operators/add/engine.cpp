// SPDX-License-Identifier: Apache-2.0
// A sum of two on the engine: in the lanes of the operation before it, or of a copy.
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {

std::string no_unit(const Known&, const graph::Node&, const graph::Add& op) {
  if (!op.table.empty()) return "it is a table of two numbers";
  return {};
}

void to_engine(Lowerer& l, const Job& j, const graph::Add&) { l.copy(j); }

}  // namespace kumiki::gen::engine
