// SPDX-License-Identifier: Apache-2.0
// Runs: chains in sequence that pass on their carry through exits. On the device a run is one carry
// chain, and a timing analyser treats it as one.
#pragma once
#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// 25 slices of 7 series: half of a clock region's height.
constexpr unsigned most_positions = 100;

// Positions of the longest run of a stage.
unsigned longest_run(const TreePlan& plan);

// Begins a new run where one would be longer than `most_positions`. Its carry enters on a pin if
// that is free, otherwise through a position of its own.
void split_runs(TreePlan& plan);

}  // namespace kumiki::gen::compressor
