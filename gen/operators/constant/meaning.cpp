// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/constant/meaning.h"

#include <algorithm>

namespace kumiki::gen::graph {

void check(const Constant& op, NodeCheck& node) {
  const std::size_t wanted = count(node.out().shape);
  if (op.values.size() != wanted)
    return node.say("has {} values; it must have {}", op.values.size(), wanted);
  node.values_fit(op.values);
}

Compute computer(const Constant& op, const Ends&) {
  return [&op](const Inputs&, Results y) { std::ranges::copy(op.values, y.begin()); };
}

arith::Interval reached(const Constant& op, const Ends&, const std::vector<arith::Interval>&) {
  const auto [low, high] = std::ranges::minmax(op.values);
  return {low, high};
}

}  // namespace kumiki::gen::graph
