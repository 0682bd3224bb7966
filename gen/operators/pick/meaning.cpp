// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/pick/meaning.h"

#include <algorithm>
#include <numeric>

namespace kumiki::gen::graph {

void Pick::add_runs(int axis, const std::vector<std::int64_t>& places) {
  for (std::size_t i = 0; i < places.size();) {
    const bool constant = places[i] < 0;
    const bool alone = i + 1 == places.size() || (places[i + 1] < 0) != constant;
    const std::int64_t step = alone || constant ? 0 : places[i + 1] - places[i];
    std::size_t end = i + 1;
    while (!alone && end < places.size() && (places[end] < 0) == constant &&
           places[end] == places[end - 1] + step)
      ++end;
    for (const std::int64_t n :
         {std::int64_t{axis}, places[i], step, static_cast<std::int64_t>(end - i)})
      runs.push_back(static_cast<std::int32_t>(n));
    i = end;
  }
}

bool Pick::fills() const {
  for (std::size_t i = 1; i < runs.size(); i += 4)
    if (runs[i] < 0) return true;
  return false;
}

std::vector<std::vector<int>> places_of(const Pick& op, const Tensor& in) {
  const Shape& from = op.view.empty() ? in.shape : op.view;
  std::vector<std::vector<int>> all(from.size());
  for (std::size_t i = 0; i + 3 < op.runs.size(); i += 4)
    for (int k = 0; k < op.runs[i + 3]; ++k)
      all[static_cast<std::size_t>(op.runs[i])].push_back(op.runs[i + 1] + k * op.runs[i + 2]);
  for (std::size_t a = 0; a < from.size(); ++a)
    if (all[a].empty()) {
      all[a].resize(static_cast<std::size_t>(from[a]));
      std::iota(all[a].begin(), all[a].end(), 0);
    }
  return all;
}

void check(const Pick& op, NodeCheck& node) {
  if (!node.sees(op.view)) return;
  const Shape& from = op.view.empty() ? node.in().shape : op.view;
  if (op.runs.size() % 4 != 0)
    return node.say(
        "has {} numbers in its runs; it must have four for each: axis, place, step, "
        "how many",
        op.runs.size());
  Shape shape = from;
  int last = -1;
  for (std::size_t i = 0; i < op.runs.size(); i += 4) {
    const std::int64_t axis = op.runs[i], first = op.runs[i + 1], step = op.runs[i + 2],
                       places = op.runs[i + 3];
    if (axis < last || axis >= static_cast<std::int64_t>(from.size()) || axis < 0)
      return node.say("has a run of axis {}; axes must rise and be 0 to {}", axis, from.size() - 1);
    int& size = shape[static_cast<std::size_t>(axis)];
    if (axis != last) size = 0;
    last = static_cast<int>(axis);
    if (places < 1 || places > largest_axis - size)
      return node.say("has runs of axis {} with {} places; it must have 1 to {}", axis,
                      size + places, largest_axis);
    size += static_cast<int>(places);
    const std::int64_t end = first + step * (places - 1);
    const std::int64_t most = from[static_cast<std::size_t>(axis)] - 1;
    const bool constant = first == -1 && step == 0;
    if (!constant && (first < 0 || first > most || end < 0 || end > most))
      return node.say(
          "picks the places {} to {} of axis {}; they must be 0 to {}, or -1 with the "
          "step 0",
          first, end, axis, most);
  }
  const arith::Interval range = node.out().format.range();
  if (op.fills() && !range.contains(op.fill))
    node.say("fills with {}; it must be {}", op.fill, arith::to_string(range));
  if (op.view.empty())
    node.makes(shape);
  else
    node.makes_as_many(shape);
  node.means_as(node.in());
}

Compute computer(const Pick& op, const Ends& ends) {
  const Shape& from = op.view.empty() ? ends.in().shape : op.view;
  auto places = places_of(op, ends.in());
  std::vector<std::size_t> step(from.size(), 1);
  for (std::size_t a = from.size(); a-- > 1;) step[a - 1] = step[a] * std::size_t(from[a]);
  return [places = std::move(places), step = std::move(step), fill = op.fill](const Inputs& x,
                                                                              Results y) {
    const std::vector<int>& row = places.back();
    for (std::size_t at = 0; at < y.size();) {
      std::size_t rest = at / row.size(), from_row = 0;
      bool is_fill = false;
      for (std::size_t a = places.size() - 1; a-- > 0; rest /= places[a].size()) {
        const int place = places[a][rest % places[a].size()];
        is_fill = is_fill || place < 0;
        from_row += std::size_t(std::max(place, 0)) * step[a];
      }
      for (const int place : row)
        y[at++] = is_fill || place < 0 ? fill : x[0][from_row + std::size_t(place)];
    }
  };
}

arith::Interval reached(const Pick& op, const Ends&, const std::vector<arith::Interval>& numbers) {
  return op.fills() ? hull(numbers[0], arith::Interval::point(op.fill)) : numbers[0];
}

}  // namespace kumiki::gen::graph
