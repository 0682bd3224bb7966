// SPDX-License-Identifier: Apache-2.0
// A constant is made where it is read, beside the other stream that is read there.
#include <algorithm>

#include "gen/operators/constant/machine.h"

namespace kumiki::gen::pipeline {

Source machines(Lowering& l, std::size_t i, const graph::Constant&) {
  const graph::Node& n = l.node(i);
  if (l.is_output(n.output)) throw NoMachine(n, "it is a result as it is");
  for (const std::size_t r : l.foldings().readers(n.output)) {
    const graph::Node& reader = l.node(r);
    const auto results = std::ranges::count_if(
        reader.inputs, [&](graph::TensorId id) { return constant_of(l.graph(), id) == nullptr; });
    const bool takes = std::holds_alternative<graph::Add>(reader.op) ||
                       std::holds_alternative<graph::Concat>(reader.op);
    if (!takes || results == 0)
      throw NoMachine(reader,
                      "it reads constants; only an add or a concat of results and constants does");
  }
  return {};
}

}  // namespace kumiki::gen::pipeline
