// SPDX-License-Identifier: Apache-2.0
// Drain slices: SIMD adders that take the lanes of chains by wires and produce signed sums.
#pragma once
#include <optional>
#include <vector>

#include "gen/blocks/packing/schemes/draft.h"

namespace kumiki::gen::packing {

// The addends of one chain for one lane: a field, and possibly a second field at a higher shift.
struct DrainFeed {
  Signal field;
  std::optional<Signal> extra;
  int extra_shift = 0;
};

// The arrival times of the chains, and the slices that a lane's sum takes.
struct DrainPlan {
  Simd simd = Simd::One48;
  int chains_per_stage = 1;
  std::int64_t stages = 1;
  // Delay in cycles of the chains of a stage relative to those of stage 0.
  int stage_delay(std::int64_t stage, int column_height) const;
};

// The narrowest SIMD lanes that hold every lane's sum over all terms, with proof.
DrainPlan plan_drain(Draft& draft, std::int64_t chains, int chains_per_stage);

// Adds the slices and the results. `feeds[chain][lane]`. RND adds `constants[lane]` once for every
// result: minus all biases of all cycles.
void add_drain(Draft& draft, const DrainPlan& drain,
               const std::vector<std::vector<DrainFeed>>& feeds,
               const std::vector<Exact>& constants);

}  // namespace kumiki::gen::packing
