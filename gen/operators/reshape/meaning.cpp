// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/reshape/meaning.h"

namespace kumiki::gen::graph {

void check(const Reshape&, NodeCheck& node) {
  const std::size_t read = count(node.in().shape), made = count(node.out().shape);
  if (read != made)
    node.say("makes {} numbers of {}; it must make as many as it reads", made, read);
  node.means_as(node.in());
}

Compute computer(const Reshape&, const Ends&) {
  return [](const std::vector<const Numbers*>& x, Numbers& y) { y = *x[0]; };
}

}  // namespace kumiki::gen::graph
