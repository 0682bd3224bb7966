// SPDX-License-Identifier: Apache-2.0
// A design as structural Verilog-2001, one file a module.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

// (* NAME = "VALUE" *) in front of a port of the top.
struct PortAttribute {
  std::string port, name, value;
};

struct VerilogOptions {
  std::string_view generator = "Kumiki";  // who signs the files
  std::string_view ports = {};  // what the top's ports carry: lines at the head of its file
  bool models = false;  // primitive models beside the netlist, with a file list that has them
  std::vector<PortAttribute> attributes = {};  // of one port in the order in which they are written
};

// Adds a .v for every module and memory, `<top>.f` and, with models, `primitives/*.v` and
// `<top>_sim.f`. Returns the names of the Verilog files in the order of the lists, models last.
std::vector<std::string> write_verilog(const ir::Names& names, OutputSet& out,
                                       const VerilogOptions& options = {});

// Options against those lints of `verilator -Wall` that do not apply to a netlist.
std::span<const std::string_view> verilator_waivers();

}  // namespace kumiki::backends
