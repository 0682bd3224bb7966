// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/resize/meaning.h"

namespace kumiki::gen::graph {

void check(const Resize& op, NodeCheck& node) {
  const Tensor& in = node.in();
  if (!node.is_map(in)) return;
  Shape shape = in.shape;
  for (const std::size_t a : {0, 1}) {
    const int factor = op.factor[a];
    if (factor < 1 || factor > Resize::largest_factor)
      return node.say("resizes by {} x {}: each factor must be 1 to {}", op.factor[0], op.factor[1],
                      Resize::largest_factor);
    if (shape[a + 1] > largest_axis / factor)
      return node.say("makes an axis of {} x {}: it must have at most {} places", factor,
                      shape[a + 1], largest_axis);
    shape[a + 1] *= factor;
  }
  node.makes(shape);
  node.means_as(in);
}

Compute computer(const Resize& op, const Ends& ends) {
  return [factor = op.factor, from = ends.in().shape](const Inputs& inputs, Results y) {
    const auto x = inputs[0];
    std::size_t at = 0;
    for (int channel = 0; channel < from[0]; ++channel)
      for (int row = 0; row < from[1] * factor[0]; ++row)
        for (int column = 0; column < from[2] * factor[1]; ++column)
          y[at++] = x[static_cast<std::size_t>((channel * from[1] + row / factor[0]) * from[2] +
                                               column / factor[1])];
  };
}

}  // namespace kumiki::gen::graph
