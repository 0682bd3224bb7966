// SPDX-License-Identifier: Apache-2.0
// The paths behind arrivals.
#pragma once
#include <vector>

#include "backends/timing/arrivals.h"

namespace kumiki::backends::timing {

// A cell on a path, or (no cell) the input of the top where it begins.
struct Step {
  std::uint32_t cell = none;
  std::uint32_t in = none;  // the input it is entered by; none: the path begins here
  std::uint32_t net = 0;    // that it drives
  Picoseconds wire = 0;     // to this cell
  Picoseconds own = 0;      // through it
  Picoseconds at = 0;       // at `net`
  bool is_launch() const { return in == none; }
};

// From the register or port where it begins to the driver of `net`; nothing for a net that nothing
// moves.
std::vector<Step> trace(const Netlist& netlist, const Arrivals& arrivals, std::uint32_t net);

}  // namespace kumiki::backends::timing
