// SPDX-License-Identifier: Apache-2.0
// Builds a shared object from Verilog.
#pragma once
#include <filesystem>

#include "backends/emit/verilog_netlist.h"
#include "backends/support/cache.h"

namespace kumiki::backends {

struct VerilatorOptions {
  bool trace = false;  // can write waveforms: compiles and runs slower
  bool lint = true;    // -Wall except the waivers of the Verilog backend; otherwise errors only
  bool reuse = true;   // reuse a model built from the same text
  unsigned jobs = 0;   // parallel compilers; 0: as many as there are processors
  Cache cache = {};
};

// The cost of a build, for benchmarks.
struct VerilatorBuild {
  std::filesystem::path object;
  bool was_cached = true;
  double verilate_seconds = 0, compile_seconds = 0;
  std::size_t bytes = 0;  // of generated C++
};

// ToolError with the tool's output if the Verilog is wrong or a tool is missing.
VerilatorBuild build_verilated(const VerilogNetlist& netlist, const VerilatorOptions& options);

}  // namespace kumiki::backends
