// SPDX-License-Identifier: Apache-2.0
// The common memory, and the engine that issues steps.
#pragma once
#include "gen/layers/array/hardware/feed.h"

namespace kumiki::gen::array {

struct Common {
  Net ready;                // of the stream
  Net full;                 // a word is there
  std::vector<UInt> words;  // of every part
};
Common build_common(Scope& s, const ArrayPlan& plan, const Config& config,
                    const ArrayIn<Hardware>& in, Net taken);

// What all rows are told in the clock before a step.
struct Steps {
  Net take_common;
  Net go, load, again, capture;
  UInt capture_at;
  Net swap;
  Net down, across;  // which sides are cut in two parts
  Net batch;         // rows have operands of their own in place of the common one
  Net take_shadow, take_direct, move;
  Net block_captured;  // a block is in the drain's memories
  Net computing;
};
Steps build_compute(Scope& s, const ArrayPlan& plan, const Config& config, const Feed& feed,
                    Net common_full, Net released);

}  // namespace kumiki::gen::array
