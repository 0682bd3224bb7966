// SPDX-License-Identifier: Apache-2.0
// Chains that hand on what leaves them through exits stand one behind the other: on the device they
// are one carry chain, and a timing analyser sees them as one.
#pragma once
#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// 25 slices of 7 series: half of a clock region's height.
constexpr unsigned most_positions = 100;

// Positions of the longest run of a stage.
unsigned longest_run(const TreePlan& plan);

// Begins a new run where one would be longer: with a carry on a pin where that costs nothing, else
// with a position of its own.
void split_runs(TreePlan& plan);

}  // namespace kumiki::gen::compressor
