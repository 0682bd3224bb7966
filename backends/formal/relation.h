// SPDX-License-Identifier: Apache-2.0
// Finds a weighted sum of bits that equals a number in all given cases.
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

// A weight for every bit, then a constant; their sum is the number. Further relations are weighted
// sums that are 0 in all cases. Empty if no weighted sum with small integers fits.
using Relation = std::vector<std::int64_t>;
std::optional<std::vector<Relation>> weights_of(const std::vector<Case>& cases);

}  // namespace kumiki::backends::proof
