// SPDX-License-Identifier: Apache-2.0
// Files with which other tools use a netlist without editing: scripts for Vivado (out of context)
// and Yosys, clock constraints, a FuseSoC core.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

struct ProjectOptions {
  std::string part = {};         // of the vendor; empty: default_part()
  std::string description = {};  // one line for people
  std::string version = "0";     // of the core
  std::string bench = {};        // module of vectors/<bench>.v; empty: none
  bool placement = false;        // relative placement of cascades and carry chains
};

// A part of an evaluation board: ZCU104, KCU105, Nexys Video. An assumption, easily replaced.
std::string_view default_part(ir::Family family);
// The default clock of the scripts, in ns: 500, 400 and 200 MHz. An assumption.
double default_period(ir::Family family);

// Adds `<top>_ooc.tcl`, `<top>_ooc.xdc`, `<top>.ys` and `<top>.core`; with placement also
// `<top>_placement.xdc`. `verilog` is the result of write_verilog() for these names.
void write_project(const ir::Names& names, const std::vector<std::string>& verilog, OutputSet& out,
                   const ProjectOptions& options);

}  // namespace kumiki::backends
