// SPDX-License-Identifier: Apache-2.0
// The paths that lead to arrivals.
#pragma once
#include <vector>

#include "backends/timing/arrivals.h"

namespace kumiki::backends::timing {

// A cell on a path, or (no cell) the input of the top where it begins.
struct Step {
  std::uint32_t cell = none;
  std::uint32_t in = none;  // the input through which the path enters; none: the path begins here
  std::uint32_t net = 0;    // the net that it drives
  Picoseconds wire = 0;     // to this cell
  Picoseconds own = 0;      // through it
  Picoseconds at = 0;       // at `net`
  bool is_launch() const { return in == none; }
};

// From the register or port at the start to the driver of `net`; empty for a net that never
// changes.
std::vector<Step> trace(const Netlist& netlist, const Arrivals& arrivals, std::uint32_t net);

}  // namespace kumiki::backends::timing
