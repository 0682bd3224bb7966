// SPDX-License-Identifier: Apache-2.0
// A graph as machines, folded: every layer of products as few slices as keep the pace. Costs of
// layers add up and their clocks do not meet, so the fewest slices for a pace are the fewest of
// each layer, and the best pace for a budget is found by halving: both are optimal among the
// foldings that are listed.
#pragma once
#include "gen/blocks/packing/planner.h"
#include "gen/layers/pipeline/plan.h"
#include "gen/layers/pipeline/request.h"

namespace kumiki::gen::pipeline {

// Without queues. Refusal: a node that no machine does, a pace or a budget that cannot be met.
PipelinePlan folded(const Request& request, const packing::Limits& limits);

}  // namespace kumiki::gen::pipeline
