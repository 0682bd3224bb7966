// SPDX-License-Identifier: Apache-2.0
// What no tree can be smaller than, at once: to leave out what cannot win before it is solved.
#pragma once
#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// LUTs of any tree that `solve` finds for the request, of any number of stages: the relaxation of
// its integer program.
double luts_bound(const TreePlan& request);

}  // namespace kumiki::gen::compressor
