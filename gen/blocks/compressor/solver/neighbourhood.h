// SPDX-License-Identifier: Apache-2.0
// Large-neighbourhood search: solves a few columns over all stages, or a few stages over more
// columns, again while the rest of the tree stays fixed.
#pragma once
#include <vector>

#include "gen/blocks/compressor/solver/model.h"
#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

// Improves a solution of the model in place. In a quick search, `among` solutions share the work of
// one.
void improve(const TreeModel& model, std::vector<double>& x, double bound, Search& search,
             unsigned among = 1);

}  // namespace kumiki::gen::compressor
