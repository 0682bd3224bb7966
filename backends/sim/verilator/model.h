// SPDX-License-Identifier: Apache-2.0
// Makes a shared object of Verilog.
#pragma once
#include <filesystem>

#include "backends/emit/verilog_netlist.h"
#include "backends/support/cache.h"

namespace kumiki::backends {

struct VerilatorOptions {
  bool trace = false;  // can write waveforms: compiles and runs slower
  bool lint = true;    // -Wall less the waivers of the Verilog backend; else errors only
  bool reuse = true;   // take a model that was built before from the same text
  unsigned jobs = 0;   // compilers at a time; 0: as many as there are processors
  Cache cache = {};
};

// What a build has taken, for benchmarks.
struct VerilatorBuild {
  std::filesystem::path object;
  bool was_cached = true;
  double verilate_seconds = 0, compile_seconds = 0;
  std::size_t bytes = 0;  // of generated C++
};

// ToolError with the lines of the tool when the Verilog is wrong or a tool is missing.
VerilatorBuild build_verilated(const VerilogNetlist& netlist, const VerilatorOptions& options);

}  // namespace kumiki::backends
