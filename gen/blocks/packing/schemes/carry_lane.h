// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a chain that moves the carries of its low lane into a separate lane.
#pragma once
#include <optional>
#include <vector>

#include "gen/blocks/packing/schemes/draft.h"

namespace kumiki::gen::packing::carry_lane {

struct Schedule {
  std::int64_t terms = 0;   // of the longest chain that it supports
  std::int64_t period = 0;  // F: the most products between two looks at the low lane's top bit
  Exact first_bias = 0;     // R0, added by the first slice
  Exact period_bias = 0;    // c, added once for every look
  std::vector<int> looks;   // slices whose top bit is moved two slices later
  int high_bits = 0;        // of the high lane
  Exact high_bias = 0;
  int carry_bits = 0;     // of the carry lane, the rest of the word
  Exact carry_start = 0;  // minus the part of the biases that is a whole multiple of 2^(G-1)
  Exact rest = 0;         // of the biases: the part still to be subtracted from the low lane
};

// The most products between two looks: F * span <= 2^(G-1).
std::int64_t period(const Lane& low);
// Empty if a chain with this number of terms has no schedule. `fixed`: use the period as tuned,
// even if it cannot be proved.
std::optional<Schedule> schedule(const PackingPlan& plan, std::int64_t terms,
                                 std::optional<int> fixed = {});
// The most terms, up to `wanted`, that one word holds.
std::int64_t capacity(const PackingPlan& plan, std::int64_t wanted, std::optional<int> fixed = {});

// Sets the lanes of the plan and proves the schedule.
void apply(Draft& draft, const Schedule& schedule);
// Adds the slices of one chain; the last slice holds the three lanes. A chain with fewer terms than
// the schedule omits its first slices and ends in the same cycle. It may omit only slices before
// the first look.
int add_chain(Draft& draft, const Schedule& schedule, std::int64_t first_term, std::int64_t count,
              int start);

}  // namespace kumiki::gen::packing::carry_lane
