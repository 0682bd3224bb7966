// SPDX-License-Identifier: Apache-2.0
// Pictures of a plan: the 48-bit word with its lanes, and the slices in the order of the wave.
#pragma once
#include <string>

#include "gen/blocks/packing/plan.h"

namespace kumiki::gen::packing {

std::string picture_text(const PackingPlan& plan);
std::string picture_svg(const PackingPlan& plan);

// One row of either picture: consecutive slices of one kind, and their number.
struct SliceRun {
  int kind = 0;
  int first = 0;
  int count = 0;
};
std::vector<SliceRun> slice_runs(const PackingPlan& plan);

}  // namespace kumiki::gen::packing
