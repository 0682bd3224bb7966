// SPDX-License-Identifier: Apache-2.0
// The larger of the number that comes by and one that came before, for all lanes of a beat.
#pragma once
#include <cstdint>

#include "gen/layers/pipeline/machines/walk.h"
#include "gen/layers/pipeline/stream.h"

namespace kumiki::gen::pipeline {

// A clock of a pipeline without enables.
struct PoolClock {
  Net valid;
  UInt word;     // all lanes
  int late = 1;  // clocks behind the position, and so are flags
};

struct PoolStepNets {
  std::int64_t beats = 0;  // from the earlier number to the later one; 0: there is none
  bool keeps_found = false;
  // At the position: as PoolStep says, and whether the result goes on.
  Flag looks_back, restarts, passes;
};

std::int64_t pool_step_clocks(std::int64_t beats);
// The result comes pool_step_clocks later.
PoolClock build_pool_step(Scope& s, const Stream& stream, PoolStepNets& step, const PoolClock& now,
                          Net reset);

}  // namespace kumiki::gen::pipeline
