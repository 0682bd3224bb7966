// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "gen/kernels/add.h"
#include "gen/operators/add/meaning.h"

namespace kumiki::gen::graph {

namespace {

constexpr std::size_t part_size = 16384;  // numbers that a thread adds at once

// In float32, in the order of onnxruntime's kernels for x86 with fused multiply and add: b first.
kernels::AddRule rule_of(const Tensor& a, const Tensor& b, const Tensor& out) {
  const float ra = a.scale / out.scale, rb = b.scale / out.scale;
  const float zero_points =
      std::fma(ra, static_cast<float>(a.zero_point), rb * static_cast<float>(b.zero_point));
  return {.first = ra,
          .second = rb,
          .fixed = static_cast<float>(out.zero_point) - zero_points,
          .range = numbers_of(out)};
}

}  // namespace

std::int32_t added(const Tensor& a, const Tensor& b, const Tensor& out, std::int32_t qa,
                   std::int32_t qb) {
  const kernels::AddRule rule = rule_of(a, b, out);
  const float sum = std::fma(static_cast<float>(qa), rule.first,
                             std::fma(static_cast<float>(qb), rule.second, rule.fixed));
  const auto lo = static_cast<double>(static_cast<std::int64_t>(rule.range.lo));
  const auto hi = static_cast<double>(static_cast<std::int64_t>(rule.range.hi));
  return static_cast<std::int32_t>(std::clamp(std::nearbyint(static_cast<double>(sum)), lo, hi));
}

bool is_ratio_of_add(const Tensor& in, const Tensor& out) {
  const float ratio = in.scale / out.scale;
  return ratio >= 0x1p-126F && ratio <= 0x1p20F;
}

void check(const Add& a, NodeCheck& node) {
  const Tensor &first = node.in(0), &second = node.in(1);
  if (second.shape != first.shape)
    return node.say("adds {} and {}; the shapes must be equal", to_string(first.shape),
                    to_string(second.shape));
  node.makes(first.shape);
  if (a.table.empty()) {
    for (const Tensor* t : {&first, &second})
      if (!is_ratio_of_add(*t, node.out()))
        return node.say(
            "takes the ratio {} of the scales of {} and {}; it must be {}; give them scales that "
            "are nearer to each other",
            t->scale / node.out().scale, t->name, node.out().name, ratios_of_add);
    return;
  }
  const int bits = first.format.bits + second.format.bits;
  if (bits > 16) return node.say("has a table of {} bits; it must have at most 16", bits);
  if (a.table.size() != std::size_t{1} << bits)
    return node.say("has {} values; it must have {}", a.table.size(), std::size_t{1} << bits);
  node.values_fit(a.table);
}

Compute computer(const Add& op, const Ends& ends) {
  const Tensor &a = ends.in(0), &b = ends.in(1);
  const kernels::AddRule rule = rule_of(a, b, ends.out());
  if (const kernels::Addition add = kernels::fast_addition(rule); add && op.table.empty())
    return [rule, add](const Inputs& x, Results y, kernels::Workers& workers) {
      workers.for_each((y.size() + part_size - 1) / part_size, [&](std::size_t part, unsigned) {
        const std::size_t at = part * part_size;
        add(rule, x[0].data() + at, x[1].data() + at, std::min(part_size, y.size() - at),
            y.data() + at);
      });
    };
  return plain_computer(op, ends);
}

Compute plain_computer(const Add& op, const Ends& ends) {
  const Tensor &a = ends.in(0), &b = ends.in(1);
  const int bits = b.format.bits, pairs = a.format.bits + bits;
  Numbers table(op.table.begin(), op.table.end());
  for (int i = 0; op.table.empty() && pairs <= 16 && i < 1 << pairs; ++i)
    table.push_back(
        added(a, b, ends.out(), lowest(a) + (i >> bits), lowest(b) + (i & ((1 << bits) - 1))));
  if (table.empty())
    return [ends](const Inputs& x, Results y) {
      for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = added(ends.in(0), ends.in(1), ends.out(), x[0][i], x[1][i]);
    };
  return [table = std::move(table), low = lowest(a), low_b = lowest(b), bits](const Inputs& x,
                                                                              Results y) {
    const auto first = x[0], second = x[1];
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = table[static_cast<std::size_t>(((first[i] - low) << bits) + (second[i] - low_b))];
  };
}

}  // namespace kumiki::gen::graph
