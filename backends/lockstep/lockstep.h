// SPDX-License-Identifier: Apache-2.0
// Two machines side by side: every output, every cycle. Which machines, and where the stimulus
// comes from, is the caller's business.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "backends/lockstep/stimulus.h"
#include "ir/design.h"
#include "ir/machine.h"

namespace kumiki::backends {

struct Mismatch {
  std::uint64_t cycle = 0;
  std::string port;
  std::string expected, got;  // hexadecimal, of the whole port
  std::uint32_t bit = 0;      // the lowest that differs
  ir::Frame inputs;           // of that cycle
};

struct LockstepOptions {
  std::uint64_t cycles = 1000;
  std::size_t mismatches = 8;                                   // it stops after so many
  std::function<void(std::uint64_t cycle)> progress = nullptr;  // now and then
};

struct LockstepResult {
  std::uint64_t cycles = 0;
  std::uint64_t comparisons = 0;  // of ports
  std::vector<Mismatch> mismatches;
  StimulusCounts stimulus;
  bool passed() const { return mismatches.empty(); }
};

// Both start from power-up.
LockstepResult run_lockstep(ir::Machine& reference, ir::Machine& hardware,
                            const ir::PortLayout& ports, Stimulus& stimulus,
                            const LockstepOptions& options);

// The cell that drives a bit of a port of the top: through instances down to the primitive.
struct Driver {
  std::string path;  // "pixels/#12"
  std::string cell;  // "FDRE", "input" or "constant"
  ir::PlaceId place;
};
Driver find_driver(const ir::Design& design, std::string_view port, std::uint32_t bit);

// "cycle 17, port pixels_ab: expected 0x1f, got 0x1e (bit 0 differs); driven by pixels/#40 (FDRE),
// gen/…:57"
std::string to_string(const ir::Design& design, const Mismatch& mismatch);

// The waveform of the netlist around a cycle, by the native simulator: ports and named signals.
// Tells whether the native simulator differs from the reference in that cycle as well.
struct Window {
  std::string vcd;
  bool native_differs = false;
};
Window record_window(const ir::Design& design, ir::Machine& reference, const ir::PortLayout& ports,
                     StimulusOptions stimulus, std::uint64_t cycle);

}  // namespace kumiki::backends
