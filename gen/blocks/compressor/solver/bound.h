// SPDX-License-Identifier: Apache-2.0
// A quick lower bound for trees, to drop candidates before solving them if they cannot win.
#pragma once
#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// A lower bound of the LUTs of any tree that `solve` can find for the request, with any number of
// stages: the relaxation of its integer program.
double luts_bound(const TreePlan& request);

}  // namespace kumiki::gen::compressor
