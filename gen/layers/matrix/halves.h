// SPDX-License-Identifier: Apache-2.0
// For two clocks: from clk to the halves of a clock in which the core works, and back. A crossing
// value is valid in the second half of its clock and the first half of the next. In the second half
// it serves the first half of the rows.
#pragma once
#include "gen/layers/matrix/core.h"

namespace kumiki::gen::matrix {

// The same inputs on clk2x. Memory addresses get the half as their lowest bit, which travels with
// them.
CoreIn into_halves(Scope& s, const MatrixPlan& plan, const CoreIn& in);

// Results of the columns, each valid for half a clock, into registers on clk.
void take_from_halves(Scope& s, const MatrixPlan& plan, std::vector<std::vector<UInt>>& words);

}  // namespace kumiki::gen::matrix
