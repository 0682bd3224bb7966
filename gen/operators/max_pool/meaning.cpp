// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "gen/operators/max_pool/meaning.h"

namespace kumiki::gen::graph {

void check(const MaxPool& p, NodeCheck& node) {
  const Tensor& in = node.in();
  if (!node.is_map(in)) return;
  Shape shape = in.shape;
  if (!node.fits(p.window, shape)) return;
  for (const int a : {0, 1}) {
    const auto i = static_cast<std::size_t>(a);
    if (p.window.before[i] >= p.window.kernel[i] || p.window.after[i] >= p.window.kernel[i])
      return node.say("has padding of a whole window; it must be less than {}", p.window.kernel[i]);
    // If the taps have gaps, the whole map may lie in one of them.
    if (p.window.sees_nothing(a, in.shape[i + 1]))
      return node.say("has a window that sees nothing but padding; use less padding");
  }
  node.makes(shape);
  node.means_as(in);
}

Compute computer(const MaxPool& op, const Ends& ends) {
  return [&w = op.window, ends](const std::vector<const Numbers*>& inputs, Numbers& y) {
    const Tensor &in = ends.in(), &out = ends.out();
    const Numbers& x = *inputs[0];
    std::size_t at = 0;
    for (int i = 0; i < out.shape[0]; ++i)
      for (int row = 0; row < out.shape[1]; ++row)
        for (int column = 0; column < out.shape[2]; ++column) {
          std::int32_t most = std::numeric_limits<std::int32_t>::min();
          for_taps(w, in.shape, row, column, [&](int r, int k) {
            most = std::max(most,
                            x[static_cast<std::size_t>((i * in.shape[1] + r) * in.shape[2] + k)]);
          });
          y[at++] = most;
        }
  };
}

}  // namespace kumiki::gen::graph
