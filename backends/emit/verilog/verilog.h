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
  std::string_view generator = "Kumiki";  // the name in the files' heads
  std::string_view ports = {};  // the content of the top's ports: lines at the head of its file
  bool models = false;  // primitive models beside the netlist, with a file list that includes them
  std::vector<PortAttribute> attributes = {};  // those of one port are written in this order
};

// Adds a .v for every module and memory, `<top>.f` and, with models, `primitives/*.v` and
// `<top>_sim.f`. Returns the names of the Verilog files in the order of the lists, models last.
std::vector<std::string> write_verilog(const ir::Names& names, OutputSet& out,
                                       const VerilogOptions& options = {});

// Options against lints of `verilator -Wall` that do not apply to a netlist.
std::span<const std::string_view> verilator_waivers();

}  // namespace kumiki::backends
