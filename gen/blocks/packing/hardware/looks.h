// SPDX-License-Identifier: Apache-2.0
// The carries between two lanes of a chain, counted by looks along it.
#pragma once
#include <vector>

#include "gen/blocks/packing/hardware/sum.h"

namespace kumiki::gen::packing {

// The carries into the lane of `sum`, valid in its `cycle`. `words`: the P of each slice.
Addend build_looks(Scope& s, const PackingPlan& plan, const CarrySum& sum,
                   const std::vector<SInt>& words, Net enable);

unsigned sites_of_looks(const PackingPlan& plan, const CarrySum& sum);

}  // namespace kumiki::gen::packing
