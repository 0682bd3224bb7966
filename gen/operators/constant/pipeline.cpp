// SPDX-License-Identifier: Apache-2.0
// A constant is made where it is read, beside the other stream that is read there.
#include "gen/operators/constant/machine.h"

namespace kumiki::gen::pipeline {

Source machines(Lowering& l, std::size_t i, const graph::Constant&) {
  const graph::Node& n = l.node(i);
  if (l.is_output(n.output)) throw NoMachine(n, "it is a result as it is");
  for (const std::size_t r : l.foldings().readers(n.output)) {
    const graph::Node& reader = l.node(r);
    const bool is_beside =
        reader.inputs.size() == 2 && std::holds_alternative<graph::Add>(reader.op) &&
        reads_constant(l.graph(), reader, 0) != reads_constant(l.graph(), reader, 1);
    if (!is_beside)
      throw NoMachine(reader, "it reads constants; only an add of a result and a constant does");
  }
  return {};
}

}  // namespace kumiki::gen::pipeline
