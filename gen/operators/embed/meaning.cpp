// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/embed/meaning.h"

#include <algorithm>

namespace kumiki::gen::graph {

arith::Interval Embed::indices() const {
  const auto rows = static_cast<std::int64_t>(vectors.size()) / std::max(size, 1);
  return {-rows, rows - 1};
}

void check(const Embed& op, NodeCheck& node) {
  if (op.size < 1 || op.vectors.empty() ||
      op.vectors.size() % static_cast<std::size_t>(op.size) != 0)
    return node.say("has {} numbers for vectors of {}; it must have at least one vector",
                    op.vectors.size(), op.size);
  Shape shape = node.in().shape;
  if (shape.size() > 2)
    return node.say("reads {}, which is {}; it must have one axis or two", node.in().name,
                    to_string(shape));
  shape.push_back(op.size);
  node.makes(shape);
  node.values_fit(op.vectors);
  if (!node.numbers().within(op.indices()))
    node.say("reads indices of {}; they must be {}", to_string(node.numbers()),
             to_string(op.indices()));
}

Compute computer(const Embed& op, const Ends&) {
  return [&op, rows = op.indices().hi + 1](const Inputs& x, Results y) {
    auto to = y.begin();
    for (const std::int32_t index : x[0]) {
      const auto row = static_cast<std::ptrdiff_t>(index < 0 ? rows + index : index);
      to = std::copy_n(op.vectors.begin() + row * op.size, op.size, to);
    }
  };
}

arith::Interval reached(const Embed& op, const Ends&, const std::vector<arith::Interval>&) {
  const auto [low, high] = std::ranges::minmax(op.vectors);
  return {low, high};
}

}  // namespace kumiki::gen::graph
