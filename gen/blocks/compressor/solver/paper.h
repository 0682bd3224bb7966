// SPDX-License-Identifier: Apache-2.0
// Trees as in the paper: its seventeen counters, one slice each; fewest stages first, then fewest
// slices; down to two rows.
#pragma once
#include "gen/blocks/compressor/solver/solve.h"

namespace kumiki::gen::compressor {

// The heap must have no pairs. `bound` of the result counts slices.
TreePlan solve_paper(const TreePlan& request, const SolveOptions& options);

}  // namespace kumiki::gen::compressor
