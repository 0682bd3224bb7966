// SPDX-License-Identifier: Apache-2.0
// Drives two machines with the same inputs and compares every output in every cycle.
// docs/decisions/lockstep.md gives the reasons.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/sim/lockstep/stimulus.h"
#include "ir/machine.h"

namespace kumiki::backends {

struct LockstepOptions {
  std::uint64_t cycles = 10'000;
  unsigned keep = 8;           // mismatches to report, the first ones
  unsigned history = 8;        // cycles of inputs to keep before the first mismatch
  unsigned cycles_after = 16;  // cycles to run after the first mismatch
  std::function<void(std::uint64_t cycle)> progress = {};  // now and then
  // Receives the netlist's outputs in every cycle; false ends the run. Not with run_lanes.
  std::function<bool(const ir::Frame& out)> watch = {};
};

struct Mismatch {
  std::uint64_t cycle = 0;
  unsigned lane = 0;
  std::uint32_t output = 0;  // index in the layout's outputs
  std::vector<std::uint64_t> expected, got;
  std::vector<std::uint64_t> unknown;  // bits that were x; empty: none
};

struct LockstepResult {
  std::uint64_t cycles = 0;        // cycles run; each lane's cycle counts as one
  std::uint64_t comparisons = 0;   // compared outputs, summed over the cycles
  std::uint64_t mismatches = 0;    // all of them
  std::vector<Mismatch> first;     // in order of cycles
  std::vector<ir::Frame> history;  // inputs up to and including the cycle of the first mismatch
  StimulusCounts stimulus;         // of all lanes together
  std::uint32_t output_bits = 0, moving_output_bits = 0;  // `moving`: bits seen at 0 and at 1
  double seconds = 0;
  bool passed() const { return mismatches == 0 && comparisons > 0; }
};

// Restarts the stimulus from its first frame and powers up both machines.
LockstepResult run_lockstep(ir::Machine& reference, ir::Machine& dut, Stimulus& stimulus,
                            const LockstepOptions& options = {});

// Runs up to 64 stimuli at once on the native simulator. Lane i has the seed of the options plus i.
// `reference` makes a machine for every lane.
using MachineFactory = std::function<std::unique_ptr<ir::Machine>()>;
LockstepResult run_lanes(const MachineFactory& reference, const ir::Design& design, unsigned lanes,
                         const StimulusOptions& stimulus, const LockstepOptions& options = {});

}  // namespace kumiki::backends
