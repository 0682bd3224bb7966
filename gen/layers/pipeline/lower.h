// SPDX-License-Identifier: Apache-2.0
// A streamed graph as machines: those of every node, folded to a pace, and converters of lanes
// between them.
#pragma once
#include <cstdint>
#include <string>

#include "gen/layers/pipeline/foldings.h"
#include "gen/layers/pipeline/plan.h"
#include "ir/error.h"

namespace kumiki::gen::pipeline {

// A machine that cannot keep a pace under any folding, and the interval that it can keep.
struct TooSlow : DesignError {
  TooSlow(std::string who, std::int64_t clocks);
  std::string name;
  std::int64_t interval;
};

// The machines for one frame in so many clocks, without queues. NoMachine, TooSlow.
PipelinePlan lowered(const Foldings& foldings, std::int64_t clocks, Depth depth = Depth::whole);

}  // namespace kumiki::gen::pipeline
