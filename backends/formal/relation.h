// SPDX-License-Identifier: Apache-2.0
// Finds the weighted sum of bits that is a number, as far as cases show it.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace kumiki::backends::proof {

struct Case {
  std::vector<bool> bits;
  std::size_t group = 0;  // for the caller
  std::int64_t number = 0;
};

// A weight for every bit, then a constant; their sum is the number. After this first relation come
// weighted sums that are 0 in all cases. Nothing when no weighted sum with small integers fits.
using Relation = std::vector<std::int64_t>;
std::optional<std::vector<Relation>> weights_of(const std::vector<Case>& cases);

}  // namespace kumiki::backends::proof
