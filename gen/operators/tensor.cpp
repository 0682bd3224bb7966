// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/tensor.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiki::gen::graph {

std::size_t count(const Shape& shape) {
  std::size_t all = 1;
  for (const int n : shape) all *= static_cast<std::size_t>(n);
  return all;
}

std::string to_string(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

arith::Interval numbers_of(const Tensor& tensor) {
  const arith::Interval all = tensor.format.range(), held = arith::signed_range(32);
  return {std::max(all.lo, held.lo), std::min(all.hi, held.hi)};
}

std::int32_t lowest(const Tensor& tensor) {
  return static_cast<std::int32_t>(static_cast<std::int64_t>(tensor.format.range().lo));
}

float real_value(const Tensor& tensor, std::int64_t number) {
  return static_cast<float>(number - tensor.zero_point) * tensor.scale;
}

bool Window::sees_nothing(int axis, int length) const {
  const auto a = static_cast<std::size_t>(axis);
  for (std::int64_t position = 0; position < positions(axis, length); ++position) {
    const std::int64_t begin = position * stride[a] - before[a];
    // The first tap inside the map or behind it.
    const std::int64_t tap = begin >= 0 ? 0 : (-begin + dilation[a] - 1) / dilation[a];
    if (tap >= kernel[a] || begin + tap * dilation[a] >= length) return true;
  }
  return false;
}

}  // namespace kumiki::gen::graph
