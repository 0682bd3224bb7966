// SPDX-License-Identifier: Apache-2.0
// With two clocks: from clk to the halves of a clock in which the core works, and back. What
// crosses stands in the second half of its clock and in the first half of the next; there the first
// half of the rows comes first.
#pragma once
#include "gen/layers/matrix/core.h"

namespace kumiki::gen::matrix {

// The same on clk2x. Addresses of memories get the half as their lowest bit: it travels with them.
CoreIn into_halves(Scope& s, const MatrixPlan& plan, const CoreIn& in);

// Results of the columns, each of which stands for half a clock, in registers on clk.
void take_from_halves(Scope& s, const MatrixPlan& plan, std::vector<std::vector<UInt>>& words);

}  // namespace kumiki::gen::matrix
