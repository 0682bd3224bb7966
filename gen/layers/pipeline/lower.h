// SPDX-License-Identifier: Apache-2.0
// A streamed graph as machines: for every node those that do it, folded to a pace, and between them
// what changes the lanes of a stream.
#pragma once
#include <cstdint>
#include <string>

#include "gen/layers/pipeline/foldings.h"
#include "gen/layers/pipeline/plan.h"
#include "ir/error.h"

namespace kumiki::gen::pipeline {

// A machine that cannot keep a pace, however it is folded, and the interval that it can.
struct TooSlow : DesignError {
  TooSlow(std::string who, std::int64_t clocks);
  std::string name;
  std::int64_t interval;
};

// The machines for a frame in so many clocks, without queues. NoMachine, TooSlow.
PipelinePlan lowered(const Foldings& foldings, std::int64_t clocks, Depth depth = Depth::whole);

}  // namespace kumiki::gen::pipeline
