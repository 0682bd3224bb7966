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
  bool may_verilate = true;              // if the native simulator does not show the mismatch
  VerilatorOptions verilator = {};
};

struct Waveform {
  std::string simulator;  // "native" or "verilator"
  std::string vcd;
  bool shows_mismatch = false;  // the simulator had the same wrong value in that cycle
};

// Runs the netlist again with the stimulus of the mismatch. The native simulator does it if it
// shows the same wrong value; otherwise Verilator does it with tracing.
Waveform record_waveform(const ir::Design& design, const Mismatch& mismatch, Stimulus& stimulus,
                         const WaveformOptions& options = {});

}  // namespace kumiki::backends
