// SPDX-License-Identifier: Apache-2.0
// The larger of the passing number and an earlier one, for all lanes of a beat.
#pragma once
#include <cstdint>

#include "gen/hdl/cycle.h"
#include "gen/layers/pipeline/stream.h"

namespace kumiki::gen::pipeline {

// One clock of a pipeline without enables.
struct PoolClock {
  Net valid;
  UInt word;     // all lanes
  int late = 1;  // clocks behind the position; flags are delayed as much
};

struct PoolStepNets {
  std::int64_t beats = 0;  // from the earlier number to the later one; 0: there is none
  bool keeps_found = false;
  // At the position: as in PoolStep, and whether the result goes on.
  Flag looks_back, restarts, passes;
};

std::int64_t pool_step_clocks(std::int64_t beats);
// The result comes pool_step_clocks later.
PoolClock build_pool_step(Scope& s, const Stream& stream, PoolStepNets& step, const PoolClock& now,
                          Net reset);

}  // namespace kumiki::gen::pipeline
