// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/softmax/integers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kumiki::gen::graph {

int SoftmaxIntegers::reciprocal_bits() const {
  return static_cast<int>(
      std::bit_width(static_cast<std::uint64_t>(reciprocal(std::int64_t{1} << (entry_bits - 1)))));
}

std::int64_t SoftmaxIntegers::result(std::int64_t entry, std::int64_t reciprocal) const {
  constexpr std::int64_t half = std::int64_t{1} << (shift - 1);
  const std::int64_t number = ((entry * reciprocal + half) >> shift) + zero;
  return clamps() ? std::min(number, most) : number;
}

SoftmaxIntegers integers_of(const Tensor& in, const Tensor& out) {
  SoftmaxIntegers all{.factor = static_cast<std::int64_t>(std::floor(1 / out.scale)),
                      .zero = out.zero_point,
                      .most = static_cast<std::int64_t>(out.format.range().hi)};
  for (std::size_t k = 0; k < all.entries.size(); ++k)
    all.entries[k] = static_cast<std::uint32_t>(std::llround(std::ldexp(
        std::exp(-static_cast<double>(k) * double{in.scale}), SoftmaxIntegers::entry_bits - 1)));
  return all;
}

}  // namespace kumiki::gen::graph
