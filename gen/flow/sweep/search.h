// SPDX-License-Identifier: Apache-2.0
// The best of all legal configurations under conditions: every one is planned, and as few netlists
// are built as decide. Nothing is sampled.
#pragma once
#include <optional>
#include <vector>

#include "gen/flow/context.h"
#include "gen/flow/sweep/table.h"

namespace kumiki::flow::sweep {

struct Found {
  std::vector<Row> rows;      // that meet the conditions, as far as known: the best first
  std::size_t planned = 0;    // legal configurations
  std::size_t refused = 0;    // that no planner or limit allows
  std::size_t built = 0;      // netlists
  std::size_t not_built = 0;  // those that could not have been better
  // How many of the legal ones meet each condition by itself; nothing where netlists decide it.
  std::vector<std::optional<std::size_t>> alone;
};

// `contexts`: one for every thread. With a front all netlists are built that a figure of it or a
// condition needs, without one those that may still be the best. Interrupted; FileError.
Found search(const Sweep& sweep, const std::vector<Context*>& contexts);

}  // namespace kumiki::flow::sweep
