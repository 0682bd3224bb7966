// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/matmul/meaning.h"

#include <cmath>

namespace kumiki::gen::graph {
namespace {

struct Sizes {
  std::size_t matrices, rows, terms, columns;
};

Sizes sizes_of(const Shape& a, const Shape& b) {
  const auto behind = [](const Shape& shape, std::size_t i) {
    return static_cast<std::size_t>(shape[shape.size() - i]);
  };
  return {a.size() == 3 ? static_cast<std::size_t>(a[0]) : 1, behind(a, 2), behind(a, 1),
          behind(b, 1)};
}

arith::FloatRule rule_of(const Ends& ends) {
  return {.scale = arith::product_scale(ends.in(0).scale, ends.in(1).scale, ends.out().scale),
          .zero_point = ends.out().zero_point,
          .range = ends.out().format.range()};
}

}  // namespace

void check(const MatMul& op, NodeCheck& node) {
  const Tensor &a = node.in(0), &b = node.in(1);
  const std::size_t axes = a.shape.size();
  if (axes < 2 || b.shape.size() != axes || (axes == 3 && a.shape[0] != b.shape[0]) ||
      a.shape[axes - 1] != b.shape[axes - 2])
    return node.say(
        "multiplies {} and {}; it must be ROWSxTERMS and TERMSxCOLUMNS, or as many of both",
        to_string(a.shape), to_string(b.shape));
  Shape made = a.shape;
  made.back() = b.shape.back();
  node.makes(made);
  for (const Tensor* t : {&a, &b})
    if (t->format.bits > 8)
      return node.say("has numbers of {} bits in {}; they must have at most 8", t->format.bits,
                      t->name);
  if (const float scale = rule_of(node.ends()).scale; !(scale > 0) || !std::isfinite(scale))
    return node.say(
        "multiplies by {}: the scales of {} and {} over that of {} must be a finite number above "
        "0; give them scales that are nearer to each other",
        scale, a.name, b.name, node.out().name);
  node.sums_fit(reachable_sums(op, node.ends(), node.numbers()));
}

Compute computer(const MatMul&, const Ends& ends) {
  return [rule = rule_of(ends), sizes = sizes_of(ends.in(0).shape, ends.in(1).shape),
          zero_a = ends.in(0).zero_point, zero_b = ends.in(1).zero_point](
             const std::vector<const Numbers*>& x, Numbers& y, kernels::Workers& workers) {
    // A part is a row of the result.
    workers.for_each(sizes.matrices * sizes.rows, [&](std::size_t row, unsigned) {
      const std::int32_t* a = x[0]->data() + row * sizes.terms;
      const std::int32_t* b = x[1]->data() + row / sizes.rows * sizes.terms * sizes.columns;
      Numbers sums(sizes.columns, 0);
      for (std::size_t t = 0; t < sizes.terms; ++t, b += sizes.columns) {
        const std::int32_t factor = a[t] - zero_a;
        for (std::size_t c = 0; c < sizes.columns; ++c) sums[c] += factor * (b[c] - zero_b);
      }
      for (std::size_t c = 0; c < sizes.columns; ++c)
        y[row * sizes.columns + c] = static_cast<std::int32_t>(requantised(rule, sums[c]));
    });
  };
}

std::vector<arith::FloatRule> rules(const MatMul&, const Ends& ends) { return {rule_of(ends)}; }

std::vector<arith::Interval> reachable_sums(const MatMul&, const Ends& ends,
                                            const arith::Interval& number) {
  const Tensor &a = ends.in(0), &b = ends.in(1);
  const arith::Interval product = (number - a.zero_point) * (b.format.range() - b.zero_point);
  return {hull(product * static_cast<std::int64_t>(a.shape.back()), arith::Interval{})};
}

}  // namespace kumiki::gen::graph
