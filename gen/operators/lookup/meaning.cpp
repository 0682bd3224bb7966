// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/operators/lookup/meaning.h"

namespace kumiki::gen::graph {

void check(const Lookup& l, NodeCheck& node) {
  const Tensor& in = node.in();
  node.makes(in.shape);
  if (in.format.bits > 16)
    return node.say("looks up numbers of {} bits; they must have 1 to 16", in.format.bits);
  const std::size_t wanted = std::size_t{1} << in.format.bits;
  const auto channels = static_cast<std::size_t>(in.shape[0]);
  if (l.values.size() != wanted && l.values.size() != wanted * channels)
    return node.say("has {} values; it must have {}, or {} for each channel", l.values.size(),
                    wanted, wanted);
  node.values_fit(l.values);
}

Compute computer(const Lookup& op, const Ends& ends) {
  const std::size_t size = std::size_t{1} << ends.in().format.bits;
  return [&values = op.values, low = lowest(ends.in()), size,
          pixels = count(ends.in().shape) / static_cast<std::size_t>(ends.in().shape[0])](
             const Inputs& x, Results y) {
    const bool is_one = values.size() == size;
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = values[(is_one ? 0 : i / pixels * size) + static_cast<std::size_t>(x[0][i] - low)];
  };
}

arith::Interval reached(const Lookup& op, const Ends& ends,
                        const std::vector<arith::Interval>& numbers) {
  const auto first = static_cast<std::size_t>(numbers[0].lo - ends.in().format.range().lo),
             size = std::size_t{1} << ends.in().format.bits;
  arith::Interval all = arith::Interval::point(op.values[first]);
  for (std::size_t table = 0; table < op.values.size(); table += size)
    for (std::size_t i = 0; i <= static_cast<std::size_t>(numbers[0].span()); ++i)
      all = hull(all, arith::Interval::point(op.values[table + first + i]));
  return all;
}

}  // namespace kumiki::gen::graph
