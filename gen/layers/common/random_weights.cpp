// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/common/random_weights.h"

#include <random>

namespace kumiki::gen {

std::vector<std::int64_t> random_weights(std::int64_t count, const arith::Interval& range,
                                         std::uint32_t seed) {
  std::mt19937_64 random(seed);
  const auto span = static_cast<std::uint64_t>(range.span()) + 1;
  std::vector<std::int64_t> weights;
  for (std::int64_t i = 0; i < count; ++i)
    weights.push_back(static_cast<std::int64_t>(range.lo) +
                      static_cast<std::int64_t>(random() % span));
  return weights;
}

}  // namespace kumiki::gen
