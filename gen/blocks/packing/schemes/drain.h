// SPDX-License-Identifier: Apache-2.0
// Drain slices: SIMD adders that take the lanes of chains by wires and give signed sums.
#pragma once
#include <optional>
#include <vector>

#include "gen/blocks/packing/schemes/draft.h"

namespace kumiki::gen::packing {

// What one chain adds to one lane: a field, and perhaps a second field some bits further up.
struct DrainFeed {
  Signal field;
  std::optional<Signal> extra;
  int extra_shift = 0;
};

// When the chains have to be there, and how many slices a lane's sum takes.
struct DrainPlan {
  Simd simd = Simd::One48;
  int chains_per_stage = 1;
  std::int64_t stages = 1;
  // Delay in cycles of the chains of a stage against those of stage 0.
  int stage_delay(std::int64_t stage, int column_height) const;
};

// The narrowest SIMD lanes that hold every lane's sum over all terms, proved.
DrainPlan plan_drain(Draft& draft, std::int64_t chains, int chains_per_stage);

// Adds the slices and the results. `feeds[chain][lane]`. RND adds `constants[lane]` once for every
// result: minus every bias of every cycle.
void add_drain(Draft& draft, const DrainPlan& drain,
               const std::vector<std::vector<DrainFeed>>& feeds,
               const std::vector<Exact>& constants);

}  // namespace kumiki::gen::packing
