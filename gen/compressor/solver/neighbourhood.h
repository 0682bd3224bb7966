// SPDX-License-Identifier: Apache-2.0
// Large-neighbourhood search: most of the tree stays as it is, a few columns over all stages or a
// few stages over more columns are solved anew.
#pragma once
#include <vector>

#include "gen/compressor/solver/model.h"
#include "gen/compressor/solver/solve.h"

namespace kumiki::gen::compressor {

// Improves a solution of the model in place. False: stopped by who watches the progress.
bool improve(const TreeModel& model, std::vector<double>& x, double bound,
             const SolveOptions& options);

}  // namespace kumiki::gen::compressor
