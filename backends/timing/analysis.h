// SPDX-License-Identifier: Apache-2.0
// The fastest clock of a netlist: an estimate (docs/timing.md).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "backends/timing/levels.h"
#include "backends/timing/paths.h"

namespace kumiki::backends::timing {

struct Goal {
  ir::timing::Grade grade;
  std::optional<double> period_ps;  // the period against which paths are checked
  std::size_t paths = 1;            // paths to trace
};

// The worst path to one cell, over all instances of its module.
struct Path {
  Endpoint end;
  std::vector<Step> steps;
  Levels levels;
  std::size_t ends = 0;  // bits and instances of that cell
};

// Another limit of the clock, by the data sheet.
struct Limit {
  std::string what;       // "DSP48E2 without the register M"
  std::uint32_t mhz = 0;  // of clk: half the limit of a cell on clk2x
  std::size_t cells = 0;
};

inline constexpr const char* clock_tree = "clock tree";

struct Bar {
  double from_ps, to_ps;  // of slack
  std::size_t ends = 0;
};

struct Analysis {
  Picoseconds worst = 0;      // the period that the slowest path needs; 0: no path
  double period_ps = 0;       // the shortest possible one, limits included
  std::size_t ends = 0;       // capturing bits
  std::size_t missed = 0;     // those that miss the goal
  std::vector<Path> paths;    // the slowest first
  std::vector<Limit> limits;  // the slowest first
  std::vector<Bar> slack;     // of all ends, against the goal or against the period found
  Depth depth;
  double mhz() const { return 1e6 / period_ps; }
};

Analysis analyse(const Netlist& netlist, const Goal& goal);

}  // namespace kumiki::backends::timing
