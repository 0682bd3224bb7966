// SPDX-License-Identifier: Apache-2.0
// A sum of two maps from two tables. The entries of both numbers are added; what is above the
// fraction, clamped, is the result. The tables are exact for all pairs of numbers: each pair bounds
// the sum of its two entries from below and from above. Entries that keep all bounds are found as
// shortest paths are (Bellman and Ford).
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "gen/layers/engine/op.h"

namespace kumiki::gen::engine {

struct SumTables {
  static constexpr int bits = 22, fraction_bits = 10;
  // With `ties_to_even`, an odd result whose fraction is below 2^tie_bits becomes the one below it.
  static constexpr int tie_bits = 2;
  // By the bits of a stored number.
  std::array<std::int32_t, 256> fresh{}, other{};
  bool ties_to_even = false;
};

// The stored number for the sum of two entries.
std::int8_t stored_sum(std::int64_t sum, bool ties_to_even);
// The entry whose result is this number.
constexpr std::int32_t entry_of(std::int8_t number) {
  return std::int32_t{number} * (1 << SumTables::fraction_bits);
}

// Empty: no two tables give all results.
std::optional<SumTables> sum_tables(const Second& second);

}  // namespace kumiki::gen::engine
