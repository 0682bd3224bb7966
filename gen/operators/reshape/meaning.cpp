// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/reshape/meaning.h"

namespace kumiki::gen::graph {

void check(const Reshape&, NodeCheck& node) {
  node.makes_as_many(node.in().shape);
  node.means_as(node.in());
}

Compute computer(const Reshape&, const Ends&) {
  return [](const std::vector<const Numbers*>& x, Numbers& y) { y = *x[0]; };
}

}  // namespace kumiki::gen::graph
