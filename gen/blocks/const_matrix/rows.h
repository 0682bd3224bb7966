// SPDX-License-Identifier: Apache-2.0
// The form used for planning before chains are chosen: sums of any length. A sum reads inputs and
// earlier sums.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/blocks/const_matrix/network.h"

namespace kumiki::gen::const_matrix {

using Row = std::vector<Operand>;

struct Sums {
  std::vector<Interval> inputs;
  std::vector<Row> shared;   // sum i is the node inputs.size() + i
  std::vector<Row> outputs;  // no sum reads them
  std::uint32_t first_shared() const { return static_cast<std::uint32_t>(inputs.size()); }
};

// The matrix as canonical signed digits: no two adjacent digits of a number are non-zero.
Sums digits_of(const std::vector<Factors>& rows, const std::vector<Interval>& inputs);

}  // namespace kumiki::gen::const_matrix
