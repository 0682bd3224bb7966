// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/mul/meaning.h"

namespace kumiki::gen::graph {

arith::FloatRule rule_of_mul(const Tensor& a, const Tensor& b, const Tensor& out) {
  return {.scale = arith::product_scale(a.scale, b.scale, out.scale),
          .zero_point = out.zero_point,
          .range = out.format.range(),
          .zero_point_first = true};
}

std::int32_t multiplied(const Tensor& a, const Tensor& b, const Tensor& out, std::int32_t qa,
                        std::int32_t qb) {
  return static_cast<std::int32_t>(
      requantised(rule_of_mul(a, b, out), (qa - a.zero_point) * (qb - b.zero_point)));
}

bool is_scale_of_mul(float scale) { return scale >= 0x1p-126F && scale <= 0x1p14F; }

void check(const Mul&, NodeCheck& node) {
  const Tensor &a = node.in(0), &b = node.in(1);
  if (a.shape != b.shape)
    return node.say("multiplies {} and {}; the shapes must be equal", to_string(a.shape),
                    to_string(b.shape));
  node.makes(a.shape);
  for (const Tensor* t : {&a, &b, &node.out()})
    if (t->format.bits > 8)
      return node.say("has numbers of {} bits in {}; they must have at most 8", t->format.bits,
                      t->name);
  if (const float scale = rule_of_mul(a, b, node.out()).scale; !is_scale_of_mul(scale))
    node.say(
        "multiplies by {}: the scales of {} and {} over that of {} must be {}; give them scales "
        "that are nearer to each other",
        scale, a.name, b.name, node.out().name, scales_of_mul);
}

Compute computer(const Mul&, const Ends& ends) {
  return [rule = rule_of_mul(ends.in(0), ends.in(1), ends.out()), a = ends.in(0).zero_point,
          b = ends.in(1).zero_point](const Inputs& x, Results y) {
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = static_cast<std::int32_t>(requantised(rule, (x[0][i] - a) * (x[1][i] - b)));
  };
}

}  // namespace kumiki::gen::graph
