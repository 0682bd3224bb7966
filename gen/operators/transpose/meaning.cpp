// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include <fmt/ranges.h>

#include "gen/operators/transpose/meaning.h"

namespace kumiki::gen::graph {

Transpose simplest(const Transpose& op, const Shape& in) {
  const Shape& axes = op.view.empty() ? in : op.view;
  const auto size = [&](int axis) { return axes[static_cast<std::size_t>(axis)]; };
  // The axis of more than one place behind this one.
  const auto next = [&](int axis) {
    do ++axis;
    while (axis < std::ssize(axes) && size(axis) == 1);
    return axis;
  };
  std::vector<int> heads;  // the first axis of each that is left, in the new order
  int before = -1;
  for (const int axis : op.order) {
    if (size(axis) == 1) continue;
    if (heads.empty() || next(before) != axis) heads.push_back(axis);
    before = axis;
  }
  std::vector<int> sorted = heads;
  std::ranges::sort(sorted);
  Transpose made;
  for (int axis = next(-1); axis < std::ssize(axes); axis = next(axis)) {
    if (std::ranges::binary_search(sorted, axis)) made.view.push_back(1);
    made.view.back() *= size(axis);
  }
  for (const int head : heads)
    made.order.push_back(static_cast<int>(std::ranges::lower_bound(sorted, head) - sorted.begin()));
  return made;
}

Transpose inverse(const Transpose& simplest) {
  Transpose back;
  back.order.resize(simplest.order.size());
  for (std::size_t i = 0; i < simplest.order.size(); ++i) {
    const auto axis = static_cast<std::size_t>(simplest.order[i]);
    back.view.push_back(simplest.view[axis]);
    back.order[axis] = static_cast<int>(i);
  }
  return back;
}

void check(const Transpose& t, NodeCheck& node) {
  const Shape& from = t.view.empty() ? node.in().shape : t.view;
  if (!node.sees(t.view)) return;
  std::vector<int> axes(from.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (!std::ranges::is_permutation(t.order, axes))
    return node.say("has the order {}; it must have every axis from 0 to {} once",
                    fmt::join(t.order, ", "), axes.size() - 1);
  Shape shape;
  for (const int axis : t.order) shape.push_back(from[static_cast<std::size_t>(axis)]);
  if (t.view.empty())
    node.makes(shape);
  else
    node.makes_as_many(shape);
  node.means_as(node.in());
}

Compute computer(const Transpose& t, const Ends& ends) {
  const Shape& from = t.view.empty() ? ends.in().shape : t.view;
  const std::size_t axes = from.size();
  std::vector<std::size_t> step(axes, 1), jump(axes);
  for (std::size_t a = axes - 1; a > 0; --a) step[a - 1] = step[a] * std::size_t(from[a]);
  Shape shape;
  for (std::size_t a = 0; a < axes; ++a) {
    jump[a] = step[std::size_t(t.order[a])];
    shape.push_back(from[std::size_t(t.order[a])]);
  }
  return [jump = std::move(jump), shape = std::move(shape)](const Inputs& x, Results y) {
    for (std::size_t at = 0; at < y.size(); ++at) {
      std::size_t rest = at, source = 0;
      for (std::size_t a = shape.size(); a-- > 0; rest /= std::size_t(shape[a]))
        source += rest % std::size_t(shape[a]) * jump[a];
      y[at] = x[0][source];
    }
  };
}

}  // namespace kumiki::gen::graph
