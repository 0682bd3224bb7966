// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {

void finish_join(Call& call, Pending pending, const Dims& dims, const Quantiser& q) {
  const Value value{dims, std::move(pending)};
  call.result({dims, Integers{call.walk.quantised(value, q, call.out())}});
}

std::vector<std::int64_t> axes_of(Call& call, std::size_t rank) {
  auto axes = call.has(1) ? call.constant_integers(1) : call.integers("axes", {});
  for (auto& axis : axes) {
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank))
      throw Stop{fmt::format("has the axis {}; it must be 0 to {}", axis, rank - 1)};
  }
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end()) throw Stop{"has an axis twice"};
  return axes;
}

void require_map(const Dims& dims) {
  if (dims.size() != 4)
    throw Stop{
        fmt::format("reads {}; it must be images x channels x rows x columns", to_string(dims))};
}

bool is_one_or_channels(const Dims& constant, const Dims& of) {
  std::int64_t all = 1;
  for (const auto d : constant) all *= d;
  return (all == 1 && constant.size() <= of.size()) ||
         (is_of_channels(constant, of) && all == of[1]);
}

Dims shape_of_both(const Dims& first, const Dims& other) {
  const Dims& dims = first.size() < other.size() ? other : first;
  Dims made = dims;
  for (std::size_t i = 0; i < std::min(first.size(), other.size()); ++i) {
    const auto one = first[first.size() - 1 - i], two = other[other.size() - 1 - i];
    if (one != two && one != 1 && two != 1)
      throw Stop{fmt::format("joins {} and {}; the axes must be equal, or of one place",
                             to_string(first), to_string(other))};
    made[made.size() - 1 - i] = std::max(one, two);
  }
  return made;
}

std::int64_t axis_of(Call& call, std::int64_t otherwise, const Dims& dims) {
  auto axis = call.integer("axis", otherwise);
  if (axis < 0) axis += static_cast<std::int64_t>(dims.size());
  return axis;
}

int in_integers(Call& call) {
  if (call.walk.averages() != Averages::sums) return 0;
  call.walk.note(fmt::format(
      "node {}: onnxruntime computes it in float32: a few results of a million may differ by one",
      call.label));
  return 1;
}

Pending average_of(Call& call, graph::TensorId in, const Dims& made) {
  return {.what = AverageOf{in}, .made = {1, made[1], 1, 1}, .node = call.label};
}

}  // namespace kumiki::gen::onnx
