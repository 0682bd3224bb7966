// SPDX-License-Identifier: Apache-2.0
// A design in the form for Verilog simulators: the text of its modules, the primitives they use,
// and the ports of the top.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/tool.h"
#include "ir/machine.h"
#include "ir/names.h"

namespace kumiki::backends {

struct VerilogSource {
  std::string name;  // relative, as it appears in messages
  std::string text;
};

struct VerilogNetlist {
  std::string top;
  ir::PortLayout ports;
  bool has_clock = true;
  bool has_fast_clock = false;
  std::vector<VerilogSource> sources;   // modules of the design
  std::vector<std::string> primitives;  // cells that the modules use and do not define
};

// The output of the Verilog backend for this design.
VerilogNetlist verilog_netlist(const ir::Design& design);

// The ports of the top, with their names in the written text.
ir::PortLayout written_ports(const ir::Names& names);

// Our own models of these primitives, and the models that those hold.
std::vector<VerilogSource> primitive_models(const std::vector<std::string>& primitives);

// A module `kumiki_bench` around the top, which is its instance `dut`. All inputs are one vector,
// laid out as in a frame, and so are all outputs, limb by limb. So a harness needs no port names.
std::string bench_module(const VerilogNetlist& netlist);
inline constexpr std::string_view bench_top = "kumiki_bench";

// How our testbenches drive the clocks in one cycle. SETTLE: from the inputs to reading the
// outputs. FAST_RISES and FAST_FALLS: the fast clock beside clk. HIGH: how long clk stays high.
std::vector<Filling> clock_fillings(bool has_fast_clock);

// Writes every file below a folder and returns their names.
std::vector<std::string> write_sources(const std::vector<VerilogSource>& sources,
                                       const std::filesystem::path& folder);

}  // namespace kumiki::backends
