// SPDX-License-Identifier: Apache-2.0
// A netlist as a block for block designs: IP-XACT of IEEE 1685-2009, which Vivado reads, and a
// script that packages it.
#pragma once
#include <string>
#include <vector>

#include "backends/emit/project/interfaces.h"
#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

struct ComponentOptions {
  std::string part = {};         // for the script; empty: default_part()
  std::string description = {};  // for people
  std::string version = "0";     // "0.1.0"; the component uses the first two numbers
};

// "kumiki:netlist:TOP:0.1"
std::string vlnv_of(const std::string& top, const std::string& version);

// Adds component.xml and `<top>_package.tcl`; if data cross between two clocks, also
// `<top>_crossings.xdc`. `verilog` is the result of write_verilog() for these names. Adds nothing
// if there are no interfaces.
void write_component(const ir::Names& names, const std::vector<std::string>& verilog,
                     const std::vector<BusInterface>& interfaces, OutputSet& out,
                     const ComponentOptions& options);

}  // namespace kumiki::backends
