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
  if (l.values.size() != wanted)
    return node.say("has {} values; it must have {}", l.values.size(), wanted);
  node.values_fit(l.values);
}

Compute computer(const Lookup& op, const Ends& ends) {
  return [&values = op.values, low = lowest(ends.in())](const std::vector<const Numbers*>& x,
                                                        Numbers& y) {
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = values[static_cast<std::size_t>((*x[0])[i] - low)];
  };
}

arith::Interval reached(const Lookup& op, const Ends& ends,
                        const std::vector<arith::Interval>& numbers) {
  const auto from =
      op.values.begin() + static_cast<std::ptrdiff_t>(numbers[0].lo - ends.in().format.range().lo);
  const auto [least, most] =
      std::minmax_element(from, from + static_cast<std::ptrdiff_t>(numbers[0].span()) + 1);
  return {*least, *most};
}

}  // namespace kumiki::gen::graph
