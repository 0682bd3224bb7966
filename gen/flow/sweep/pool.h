// SPDX-License-Identifier: Apache-2.0
// Runs points in separate processes, several at a time. A process that crashes, takes too much
// memory or takes too long becomes a line of the table and ends no other.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "backends/support/process.h"
#include "gen/flow/sweep/point.h"

namespace kumiki::flow::sweep {

struct Pool {
  unsigned jobs = 1;
  // Processes the points whose numbers are appended, and stores their results.
  std::vector<std::string> command;
  std::optional<backends::Seconds> seconds = {};  // time limit for a point
};

// Interrupted; ToolError if a process fails whatever the point.
void do_points(const Sweep& sweep, const Folder& folder, const std::vector<std::size_t>& numbers,
               const Pool& pool);

}  // namespace kumiki::flow::sweep
