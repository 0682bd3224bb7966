// SPDX-License-Identifier: Apache-2.0
// Splits sums of any length into chains of two or three operands.
#pragma once
#include "gen/blocks/const_matrix/rows.h"

namespace kumiki::gen::const_matrix {

struct TreeRules {
  int arity = 3;                    // operands of a chain; with 2, no chain has majorities
  int depth = depth_without_limit;  // most chains in sequence, if the sums allow it
};

// Dissolves shared sums that cost more than they save into their readers.
Sums dissolved(Sums sums, const TreeRules& rules);

// The network without stages.
Network trees_of(const Sums& sums, const TreeRules& rules);

}  // namespace kumiki::gen::const_matrix
