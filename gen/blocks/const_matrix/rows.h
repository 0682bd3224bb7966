// SPDX-License-Identifier: Apache-2.0
// The form used for planning before chains are chosen: sums of any length. A sum reads inputs and
// earlier sums.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/blocks/const_matrix/network.h"

namespace kumiki::gen::const_matrix {

using Row = std::vector<Operand>;

constexpr int depth_without_limit = 64;

struct Sums {
  std::vector<Interval> inputs;
  std::vector<Row> shared;   // sum i is the node inputs.size() + i
  std::vector<Row> outputs;  // no sum reads them
  std::uint32_t first_shared() const { return static_cast<std::uint32_t>(inputs.size()); }
};

// Replaces a shared sum by its terms wherever it is read, and leaves it empty.
void dissolve(Sums& sums, std::uint32_t shared);

// Another form of the sum of two terms of one node, if it has one: 4 - 1 = 2 + 1. A number in
// canonical digits has the fewest, so no form has a digit twice.
void recode(Operand& low, Operand& high);

// Without empty shared sums, and in such an order that every sum reads earlier ones.
Sums ordered(Sums sums);

// The matrix as canonical signed digits: no two adjacent digits of a number are non-zero.
Sums digits_of(const std::vector<Factors>& rows, const std::vector<Interval>& inputs);

}  // namespace kumiki::gen::const_matrix
