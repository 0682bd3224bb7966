// SPDX-License-Identifier: Apache-2.0
// The cycles around a mismatch as a value change dump.
#pragma once
#include <string>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/verilator/model.h"
#include "ir/design.h"

namespace kumiki::backends {

struct WaveformOptions {
  std::uint64_t before = 32, after = 8;  // cycles
  bool may_verilate = true;              // when the native simulator does not show it
  VerilatorOptions verilator = {};
};

struct Waveform {
  std::string simulator;  // "native" or "verilator"
  std::string vcd;
  bool shows_mismatch = false;  // the simulator gave the same wrong value in that cycle
};

// Runs the netlist once more with the stimulus of the mismatch: by the native simulator when it
// gives the same wrong value, else by Verilator with tracing.
Waveform record_waveform(const ir::Design& design, const Mismatch& mismatch, Stimulus& stimulus,
                         const WaveformOptions& options = {});

}  // namespace kumiki::backends
