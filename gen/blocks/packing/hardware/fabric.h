// SPDX-License-Identifier: Apache-2.0
// LUTs outside the slices, counted from the plan; planners compare them.
#pragma once
#include <cstdint>

#include "gen/blocks/packing/plan.h"

namespace kumiki::gen::packing {

// Includes shift registers; assumes that operands arrive when their slices need them.
std::int64_t sites_of_fabric(const PackingPlan& plan);

}  // namespace kumiki::gen::packing
