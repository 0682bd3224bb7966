// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/matmul/meaning.h"

#include <cmath>

namespace kumiki::gen::graph {
namespace {

std::int64_t pixels_of(const Tensor& map) {
  return std::int64_t{map.shape[1]} * std::int64_t{map.shape[2]};
}

arith::FloatRule rule_of(const Ends& ends) {
  return {.scale = arith::product_scale(ends.in(0).scale, ends.in(1).scale, ends.out().scale),
          .zero_point = ends.out().zero_point,
          .range = ends.out().format.range()};
}

// How far apart numbers are: of the next group, and of the next one along each axis of a group.
struct Steps {
  std::size_t group, first, second;
};

}  // namespace

MatMulSizes sizes_of(const MatMul& op, const Ends& ends) {
  const Tensor &a = ends.in(0), &b = ends.in(1);
  if (op.lines == 2) return {a.shape[2], a.shape[0], pixels_of(b) / op.groups};
  return {pixels_of(a), a.shape[0] / op.groups,
          op.by_pixels == 1 ? b.shape[0] / op.groups : pixels_of(b)};
}

void check(const MatMul& op, NodeCheck& node) {
  const Tensor &a = node.in(0), &b = node.in(1);
  if (!node.is_map(a) || !node.is_map(b)) return;
  if (op.by_pixels < 0 || op.by_pixels > 1)
    return node.say("has by_pixels {}; it must be 0 or 1", op.by_pixels);
  if (op.lines < 0 || op.lines > 2 || (op.lines > 0 && op.by_pixels == 1))
    return node.say("has lines {} and by_pixels {}; lines must be 0, or 1 or 2 without by_pixels",
                    op.lines, op.by_pixels);
  if (op.lines == 2) {
    if (a.shape[1] != op.groups || pixels_of(b) % op.groups != 0)
      return node.say(
          "has {} groups; its first map must have as many lines, not {}, and they must "
          "divide the {} pixels of the second one",
          op.groups, a.shape[1], pixels_of(b));
  } else if (op.lines == 1 && a.shape[1] != 1) {
    return node.say("makes a line for each group of a map of {} lines; it must have one",
                    a.shape[1]);
  }
  if (op.groups < 1 ||
      (op.lines < 2 && (a.shape[0] % op.groups != 0 || b.shape[0] % op.groups != 0)))
    return node.say("has {} groups; they must divide its {} and {} channels", op.groups, a.shape[0],
                    b.shape[0]);
  const MatMulSizes sizes = sizes_of(op, node.ends());
  const std::int64_t others = op.by_pixels == 1 ? pixels_of(b)
                              : op.lines == 2   ? b.shape[0]
                                                : b.shape[0] / op.groups;
  if (others != sizes.terms)
    return node.say("multiplies {} channels a group with {} {}; there must be as many", sizes.terms,
                    others, op.by_pixels == 1 ? "pixels" : "channels");
  if (sizes.outputs * op.groups > largest_axis)
    return node.say("makes {} channels; it must be at most {}", sizes.outputs * op.groups,
                    largest_axis);
  const auto outputs = static_cast<int>(sizes.outputs);
  node.makes(op.lines == 1   ? Shape{outputs, op.groups, a.shape[2]}
             : op.lines == 2 ? Shape{outputs * op.groups, 1, a.shape[2]}
                             : Shape{outputs * op.groups, a.shape[1], a.shape[2]});
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

Compute computer(const MatMul& op, const Ends& ends) {
  const MatMulSizes sizes = sizes_of(op, ends);
  const auto groups = static_cast<std::size_t>(op.groups),
             pixels = static_cast<std::size_t>(sizes.pixels),
             terms = static_cast<std::size_t>(sizes.terms),
             outputs = static_cast<std::size_t>(sizes.outputs);
  // Of a group: term and pixel; term and output; output and pixel.
  const Steps of_a = op.lines == 2 ? Steps{pixels, groups * pixels, 1}
                                   : Steps{terms * pixels, pixels, 1},
              of_b = op.lines == 2       ? Steps{outputs, groups * outputs, 1}
                     : op.by_pixels == 1 ? Steps{terms * outputs, 1, terms}
                                         : Steps{terms * outputs, outputs, 1},
              of_y = op.lines == 1 ? Steps{pixels, groups * pixels, 1}
                                   : Steps{outputs * pixels, pixels, 1};
  return [=, rule = rule_of(ends), zero_a = ends.in(0).zero_point, zero_b = ends.in(1).zero_point](
             const Inputs& x, Results y, kernels::Workers& workers) {
    workers.for_each(groups * outputs, [&](std::size_t channel, unsigned) {
      const std::size_t group = channel / outputs, output = channel % outputs;
      const std::int32_t* a = x[0].data() + group * of_a.group;
      const std::int32_t* b = x[1].data() + group * of_b.group + output * of_b.second;
      Numbers sums(pixels, 0);
      for (std::size_t t = 0; t < terms; ++t) {
        const std::int32_t weight = b[t * of_b.first] - zero_b;
        for (std::size_t p = 0; p < pixels; ++p)
          sums[p] += weight * (a[t * of_a.first + p] - zero_a);
      }
      for (std::size_t p = 0; p < pixels; ++p)
        y[group * of_y.group + output * of_y.first + p] =
            static_cast<std::int32_t>(requantised(rule, sums[p]));
    });
  };
}

std::vector<arith::FloatRule> rules(const MatMul&, const Ends& ends) { return {rule_of(ends)}; }

std::vector<arith::Interval> reachable_sums(const MatMul& op, const Ends& ends,
                                            const arith::Interval& number) {
  const Tensor &a = ends.in(0), &b = ends.in(1);
  const arith::Interval product = (number - a.zero_point) * (b.format.range() - b.zero_point);
  return {hull(product * sizes_of(op, ends).terms, arith::Interval{})};
}

}  // namespace kumiki::gen::graph
