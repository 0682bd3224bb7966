// SPDX-License-Identifier: Apache-2.0
// What every example does with its design: check it, run it in lockstep with its model, write the
// Verilog.
#pragma once
#include <cstdio>

#include <fmt/format.h>

#include "backends/files.h"
#include "backends/lockstep/report.h"
#include "backends/native/machine.h"
#include "backends/verilog/verilog.h"
#include "gen/dsl/dsl.h"
#include "ir/check.h"

namespace kumiki::examples {

// Exit code 0 when hardware and model agreed in every cycle. The first argument is the folder to
// write to.
inline int write_and_run(const ir::Design& design, ir::Machine& model, int argc, char** argv) {
  ir::require_legal(design);
  const auto ports = ir::layout(design.top());
  backends::NativeMachine hardware(design);
  backends::Stimulus stimulus(ports, {.seed = 1, .cycles = 20000, .stall = 0.2});
  const auto result = backends::run_lockstep(model, hardware, stimulus, {.cycles = 20000});
  if (!result.passed())
    fmt::print(stderr, "{}", backends::report(design, result, "native simulator"));
  fmt::print("{}: {} cycles, {} outputs compared, {} mismatches\n", design.top().name(),
             result.cycles, result.comparisons, result.mismatches);
  if (argc > 1) {
    backends::OutputSet files;
    backends::write_verilog(ir::Names(design), files,
                            {.generator = "a Kumiki example", .models = true});
    files.add_manifest("a Kumiki example");
    files.commit(argv[1]);
    fmt::print("{} files in {}\n", files.files().size(), argv[1]);
  }
  return result.passed() ? 0 : 1;
}

}  // namespace kumiki::examples
