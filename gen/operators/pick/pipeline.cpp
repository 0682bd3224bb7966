// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/reorder_node.h"

namespace kumiki::gen::pipeline {

Source machines(Lowering& l, std::size_t i, const graph::Pick& op) {
  if (op.fills())
    throw NoMachine(l.node(i),
                    "it puts numbers around a map; a convolution or a pool behind it can do so if "
                    "they stand for 0");
  return add_reordered(l, i, op);
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t, std::int64_t,
                           const graph::Pick& op) {
  return slices_behind_reordered(b, i, op);
}

}  // namespace kumiki::gen::pipeline
