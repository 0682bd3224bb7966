// SPDX-License-Identifier: Apache-2.0
// The state machines of a plan: they watch a few bits of a P and count the wraps of a lane.
#pragma once
#include <vector>

#include "gen/blocks/packing/hardware/slices.h"

namespace kumiki::gen::packing {

// The value of every counter, valid in its `counter_cycle`.
std::vector<Word> build_counters(Scope& s, const PackingPlan& plan, const std::vector<SInt>& words,
                                 DelayLine<Net>& first, Net enable);

}  // namespace kumiki::gen::packing
