// SPDX-License-Identifier: Apache-2.0
// Two machines get the same inputs, and every output is compared in every cycle. The reasons are in
// docs/decisions/lockstep.md.
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
  unsigned keep = 8;           // mismatches that are reported, the first ones
  unsigned history = 8;        // cycles of inputs that are kept before the first mismatch
  unsigned cycles_after = 16;  // how long to go on after the first mismatch
  std::function<void(std::uint64_t cycle)> progress = {};  // now and then
  // Sees what the netlist answers in every cycle; false ends the run. Not with run_lanes.
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
  std::uint64_t cycles = 0;        // run; a lane's cycle is one
  std::uint64_t comparisons = 0;   // of an output in a cycle
  std::uint64_t mismatches = 0;    // all that were met
  std::vector<Mismatch> first;     // in order of cycles
  std::vector<ir::Frame> history;  // inputs up to and with the cycle of the first mismatch
  StimulusCounts stimulus;         // of all lanes together
  std::uint32_t output_bits = 0, moving_output_bits = 0;  // those that were seen at 0 and at 1
  double seconds = 0;
  bool passed() const { return mismatches == 0 && comparisons > 0; }
};

// The stimulus starts from its first frame, both machines are powered up.
LockstepResult run_lockstep(ir::Machine& reference, ir::Machine& dut, Stimulus& stimulus,
                            const LockstepOptions& options = {});

// Up to 64 stimuli at once on the native simulator; lane i has the seed of the options plus i.
// `reference` makes a machine for every lane.
using MachineFactory = std::function<std::unique_ptr<ir::Machine>()>;
LockstepResult run_lanes(const MachineFactory& reference, const ir::Design& design, unsigned lanes,
                         const StimulusOptions& stimulus, const LockstepOptions& options = {});

}  // namespace kumiki::backends
