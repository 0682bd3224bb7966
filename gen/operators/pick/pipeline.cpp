// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/reorder_node.h"

namespace kumiki::gen::pipeline {

Source machines(Lowering& l, std::size_t i, const graph::Pick& op) {
  return add_reordered(l, i, op);
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t, std::int64_t lanes,
                           const graph::Pick& op) {
  return slices_behind_reordered(b, i, lanes, op);
}

}  // namespace kumiki::gen::pipeline
