// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <numeric>

#include "gen/operators/concat/meaning.h"

namespace kumiki::gen::graph {

void check(const Concat& op, NodeCheck& node) {
  Shape shape = node.in().shape;
  const auto rank = static_cast<int>(shape.size());
  if (op.axis < 0 || op.axis >= rank)
    return node.say("joins along axis {} of {}; it must be 0 to {}", op.axis,
                    to_string(node.in().shape), rank - 1);
  const auto axis = static_cast<std::size_t>(op.axis);
  shape[axis] = 0;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const Tensor& t = node.in(i);
    Shape other = t.shape;
    if (other.size() == shape.size()) other[axis] = shape[axis];
    if (other != shape)
      return node.say("joins {} and {}; the shapes must differ in axis {} alone",
                      to_string(node.in().shape), to_string(t.shape), op.axis);
    shape[axis] += t.shape[axis];
    node.means_as(t);
  }
  node.makes(shape);
}

Compute computer(const Concat& op, const Ends& ends) {
  const Shape& made = ends.out().shape;
  const auto pieces =
      std::accumulate(made.begin(), made.begin() + op.axis, std::ptrdiff_t{1}, std::multiplies());
  return [pieces](const Inputs& x, Results y) {
    auto at = y.begin();
    for (std::ptrdiff_t piece = 0; piece < pieces; ++piece)
      for (const auto part : x) {
        const std::ptrdiff_t size = std::ssize(part) / pieces;
        at = std::copy_n(part.begin() + piece * size, size, at);
      }
  };
}

}  // namespace kumiki::gen::graph
