// SPDX-License-Identifier: Apache-2.0
// A table on the engine: in the lanes of the operation before it, or of a copy.
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {

std::string no_unit(const Known& known, const graph::Node& n, const graph::Lookup& op) {
  if (!is_for_all(op, known.graph().tensors[n.inputs[0]]))
    return "it has a table for every channel";
  return {};
}

void to_engine(Lowerer& l, const Job& j, const graph::Lookup&) { l.copy(j); }

}  // namespace kumiki::gen::engine
