// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/operators/arg_max/meaning.h"

namespace kumiki::gen::graph {

void check(const ArgMax&, NodeCheck& node) {
  const Tensor& in = node.in();
  if (in.shape.size() != 1)
    return node.say("reads {}, which is {}; it must be a vector", in.name, to_string(in.shape));
  if (!node.makes({1})) return;
  if (node.out().format.range().hi < in.shape[0] - 1)
    node.say("makes {}, which cannot hold the index {}", node.out().name, in.shape[0] - 1);
}

Compute computer(const ArgMax&, const Ends&) {
  return [](const Inputs& x, Results y) {
    y[0] = static_cast<std::int32_t>(std::ranges::max_element(x[0]) - x[0].begin());
  };
}

}  // namespace kumiki::gen::graph
