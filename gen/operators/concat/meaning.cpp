// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/operators/concat/meaning.h"

namespace kumiki::gen::graph {

void check(const Concat&, NodeCheck& node) {
  Shape shape = node.in().shape;
  shape[0] = 0;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const Tensor& t = node.in(i);
    if (t.shape.size() != shape.size() ||
        !std::equal(t.shape.begin() + 1, t.shape.end(), shape.begin() + 1))
      return node.say("joins {} and {}; the shapes must differ in the channels alone",
                      to_string(node.in().shape), to_string(t.shape));
    shape[0] += t.shape[0];
    node.means_as(t);
  }
  node.makes(shape);
}

Compute computer(const Concat&, const Ends&) {
  return [](const std::vector<const Numbers*>& x, Numbers& y) {
    auto at = y.begin();
    for (const Numbers* part : x) at = std::ranges::copy(*part, at).out;
  };
}

}  // namespace kumiki::gen::graph
