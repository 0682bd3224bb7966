// SPDX-License-Identifier: Apache-2.0
// Which weighted sum of bits is a number, as far as cases show it.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace kumiki::backends::proof {

struct Case {
  std::vector<bool> bits;
  std::size_t group = 0;  // for those who made it
  std::int64_t number = 0;
};

// A weight for every bit and a constant behind them, whose sum is the number; behind this one the
// weighted sums that are 0 in all cases. Nothing when no weighted sum with small integers fits.
using Relation = std::vector<std::int64_t>;
std::optional<std::vector<Relation>> weights_of(const std::vector<Case>& cases);

}  // namespace kumiki::backends::proof
