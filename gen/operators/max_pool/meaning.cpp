// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/max_pool/meaning.h"
#include "gen/kernels/max_pool.h"

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
  const Tensor &in = ends.in(), &out = ends.out();
  const kernels::Taps taps{.in = {in.shape[1], in.shape[2]},
                           .out = {out.shape[1], out.shape[2]},
                           .kernel = op.window.kernel,
                           .stride = op.window.stride,
                           .dilation = op.window.dilation,
                           .before = op.window.before};
  return [taps, channels = std::size_t(in.shape[0])](const Inputs& x, Results y,
                                                     kernels::Workers& workers) {
    kernels::max_pool(taps, channels, x[0].data(), y.data(), workers);
  };
}

}  // namespace kumiki::gen::graph
