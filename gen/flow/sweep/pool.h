// SPDX-License-Identifier: Apache-2.0
// Points in processes of their own, some at a time: one that crashes, takes too much memory or too
// long is a line of the table and ends no other.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "backends/support/process.h"
#include "gen/flow/sweep/point.h"

namespace kumiki::flow::sweep {

struct Pool {
  unsigned jobs = 1;
  // Does the points whose numbers stand behind it, and keeps what came out.
  std::vector<std::string> command;
  std::optional<backends::Seconds> seconds = {};  // that a point may take
};

// Interrupted; ToolError when a process could not do its work, whatever the point.
void do_points(const Sweep& sweep, const Folder& folder, const std::vector<std::size_t>& numbers,
               const Pool& pool);

}  // namespace kumiki::flow::sweep
