// SPDX-License-Identifier: Apache-2.0
// For programs with a design of their own: check it, run it in lockstep with its model, and write
// the Verilog. An error ends in a message and an exit code.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <functional>

#include "backends/emit/verilog/verilog.h"
#include "backends/sim/lockstep/report.h"
#include "backends/sim/native/machine.h"
#include "backends/support/files.h"
#include "ir/check.h"

namespace kumiki::flow {

// Returns the exit code of `program`; 1 if the design is wrong, 4 if a file or a tool fails. Errors
// go to stderr.
int run_program(const std::function<int()>& program);

// Returns 0 if hardware and model agree in every cycle. The first argument is the output folder.
// With VerilatedMachine the written Verilog runs, otherwise the netlist in memory.
template <class Machine = backends::NativeMachine>
int write_and_run(const ir::Design& design, ir::Machine& model, int argc, char** argv) {
  ir::require_legal(design);
  Machine hardware(design);
  backends::Stimulus stimulus(ir::layout(design.top()), {.seed = 1, .cycles = 20000, .stall = 0.2});
  const auto result = backends::run_lockstep(model, hardware, stimulus, {.cycles = 20000});
  if (!result.passed()) fmt::print(stderr, "{}", backends::report(design, result, "hardware"));
  fmt::print("{}: {} cycles, {} outputs compared, {} mismatches\n", design.top().name(),
             result.cycles, result.comparisons, result.mismatches);
  if (argc > 1) {
    backends::OutputSet files;
    backends::write_verilog(ir::Names(design), files,
                            {.generator = "a program of mine", .models = true});
    files.add_manifest("a program of mine");
    files.commit(argv[1]);
    fmt::print("{} files in {}\n", files.files().size(), argv[1]);
  }
  return result.passed() ? 0 : 1;
}

}  // namespace kumiki::flow
