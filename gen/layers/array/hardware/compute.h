// SPDX-License-Identifier: Apache-2.0
// The common memory, and the engine that issues steps.
#pragma once
#include "gen/layers/array/hardware/feed.h"

namespace kumiki::gen::array {

struct Common {
  Net ready;                // to the stream
  Net full;                 // a word is available
  std::vector<UInt> words;  // one for each part
};
Common build_common(Scope& s, const ArrayPlan& plan, const Config& config,
                    const ArrayIn<Hardware>& in, Net taken);

// The controls that all rows get in the clock before a step; those with `take_` are in the clock of
// its issue.
struct Steps {
  Net take_common, take_shadow, take_direct;
  Net go, load, again, capture;
  UInt capture_at;
  Net swap;
  Net down, across;  // sides cut into two parts
  Net batch;         // every row has its own operand instead of the common one
  Net late_shadow, late_direct, move;
  Net block_captured;  // the memories of the drain hold a complete block
  Net computing;
};
Steps build_compute(Scope& s, const ArrayPlan& plan, const Config& config, const Feed& feed,
                    Net common_full, Net released);

}  // namespace kumiki::gen::array
