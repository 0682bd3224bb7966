// SPDX-License-Identifier: Apache-2.0
// The common memory, and the engine that issues steps.
#pragma once
#include "gen/layers/array/hardware/feed.h"

namespace kumiki::gen::array {

struct Common {
  Net ready;                // to the stream
  Net full;                 // a word is there
  std::vector<UInt> words;  // one for every part
};
Common build_common(Scope& s, const ArrayPlan& plan, const Config& config,
                    const ArrayIn<Hardware>& in, Net taken);

// The controls that all rows get in the clock before a step; `take_` is when it is issued.
struct Steps {
  Net take_common, take_shadow, take_direct;
  Net go, load, again, capture;
  UInt capture_at;
  Net swap;
  Net down, across;  // which sides are cut in two parts
  Net batch;         // every row has an operand of its own in place of the common one
  Net late_shadow, late_direct, move;
  Net block_captured;  // the memories of the drain hold a complete block
  Net computing;
};
Steps build_compute(Scope& s, const ArrayPlan& plan, const Config& config, const Feed& feed,
                    Net common_full, Net released);

}  // namespace kumiki::gen::array
