// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "gen/operators/global_average/meaning.h"

namespace kumiki::gen::graph {

void check(const GlobalAverage& op, NodeCheck& node) {
  const Tensor& in = node.in();
  if (!node.is_map(in)) return;
  // All channels have one rule. Tensors with allowed scales may still be too far apart.
  if (node.makes({in.shape[0], 1, 1}))
    if (const float scale = rules(op, node.ends())[0].scale; !std::isnormal(scale))
      return node.say(
          "multiplies sums by {}: the scale of {} over that of {} and {} pixels must be a normal "
          "float32; give them scales that are nearer to each other",
          scale, in.name, node.out().name, in.shape[1] * in.shape[2]);
  node.sums_fit(reachable_sums(op, node.ends(), node.numbers()));
}

Compute computer(const GlobalAverage& op, const Ends& ends) {
  return
      [rule = rules(op, ends)[0], zero_point = ends.in().zero_point](const Inputs& x, Results y) {
        const std::size_t pixels = x[0].size() / y.size();
        for (std::size_t c = 0; c < y.size(); ++c) {
          std::int32_t sum = 0;
          for (std::size_t p = 0; p < pixels; ++p) sum += x[0][c * pixels + p] - zero_point;
          y[c] = static_cast<std::int32_t>(requantised(rule, sum));
        }
      };
}

std::vector<arith::FloatRule> rules(const GlobalAverage&, const Ends& ends) {
  const Tensor &in = ends.in(), &out = ends.out();
  const auto pixels = static_cast<float>(in.shape[1] * in.shape[2]);
  const arith::FloatRule rule{.scale = in.scale / (out.scale * pixels),
                              .zero_point = out.zero_point,
                              .range = out.format.range()};
  return std::vector<arith::FloatRule>(static_cast<std::size_t>(out.shape[0]), rule);
}

std::vector<arith::Interval> reachable_sums(const GlobalAverage&, const Ends& ends,
                                            const arith::Interval& number) {
  const Tensor& in = ends.in();
  return std::vector<arith::Interval>(
      static_cast<std::size_t>(in.shape[0]),
      (number - in.zero_point) * arith::Exact{in.shape[1] * in.shape[2]});
}

}  // namespace kumiki::gen::graph
