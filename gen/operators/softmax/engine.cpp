// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gen/layers/engine/lowerer.h"
#include "gen/layers/engine/normal.h"

namespace kumiki::gen::engine {

std::string no_unit(const Known& known, const graph::Node& n, const graph::Softmax& op) {
  if (op.groups > 1)
    return fmt::format("it has {} groups of channels, and its map several lines; give it one line",
                       op.groups);
  return why_not_normalised(known, n, op.integers);
}

void to_engine(Lowerer& l, const Job& j, const graph::Softmax&) { normalise(l, j); }

}  // namespace kumiki::gen::engine
