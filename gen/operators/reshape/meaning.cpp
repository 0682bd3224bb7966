// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/reshape/meaning.h"

namespace kumiki::gen::graph {

void check(const Reshape&, NodeCheck& node) {
  node.makes_as_many(node.in().shape);
  node.means_as(node.in());
}

Compute computer(const Reshape&, const Ends&) {
  return [](const Inputs& x, Results y) { std::ranges::copy(x[0], y.begin()); };
}

}  // namespace kumiki::gen::graph
