// SPDX-License-Identifier: Apache-2.0
// LUTs outside the slices, counted on the plan: what planners compare.
#pragma once
#include <cstdint>

#include "gen/blocks/packing/plan.h"

namespace kumiki::gen::packing {

// With shift registers; operands come as the slices want them.
std::int64_t sites_of_fabric(const PackingPlan& plan);

}  // namespace kumiki::gen::packing
