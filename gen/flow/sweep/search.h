// SPDX-License-Identifier: Apache-2.0
// Finds the best valid configurations under conditions. It plans every one of them and builds only
// the netlists that decide. Nothing is sampled.
#pragma once
#include <optional>
#include <vector>

#include "gen/flow/context.h"
#include "gen/flow/sweep/table.h"

namespace kumiki::flow::sweep {

struct Found {
  std::vector<Row> rows;      // meet the conditions as far as known; the best first
  std::size_t planned = 0;    // valid configurations
  std::size_t refused = 0;    // by a planner or a limit
  std::size_t built = 0;      // netlists built
  std::size_t not_built = 0;  // netlists that could not have been better
  // How many valid configurations meet each condition alone; empty if netlists decide it.
  std::vector<std::optional<std::size_t>> alone;
};

// `contexts`: one for each thread. With a front, builds all netlists that one of its figures or a
// condition needs; without a front, only those that may still be the best. Interrupted; FileError.
Found search(const Sweep& sweep, const std::vector<Context*>& contexts);

}  // namespace kumiki::flow::sweep
