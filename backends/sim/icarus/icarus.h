// SPDX-License-Identifier: Apache-2.0
// Simulates the emitted Verilog with Icarus, using our own models of the primitives or the
// vendor's.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "backends/emit/verilog_netlist.h"
#include "backends/sim/sees_unknown.h"
#include "ir/machine.h"

namespace kumiki::backends {

struct IcarusOptions {
  // The folder of the vendor's simulation models: DSP48E2.v, LUT6_2.v, …, one file a primitive,
  // with glbl.v there or one level up. Empty: our own models.
  std::filesystem::path unisim = {};
  unsigned seconds = 3600;  // a longer run fails

  // Cycles whose waveforms are recorded.
  struct Window {
    std::uint64_t first, last;
  };
  std::optional<Window> window = {};
};

struct IcarusRun {
  std::vector<ir::Frame> outputs;
  std::vector<ir::Frame> unknown;  // bits that were x or z; they are 0 in outputs
  std::string vcd;                 // if a window was requested
};

// Returns one output frame for each input frame, from power-up on. FileError if a file of the
// vendor is missing, ToolError if Icarus is missing or fails.
IcarusRun run_icarus(const VerilogNetlist& netlist, std::span<const ir::Frame> stimulus,
                     const IcarusOptions& options = {});

// Records the inputs of a machine. If the stimulus depends on the outputs, the recording can then
// drive a simulator that runs on its own.
class Recorder : public ir::Machine {
 public:
  explicit Recorder(ir::Machine& machine) : machine_(machine) {}
  void power_up() override {
    machine_.power_up();
    inputs_.clear();
  }
  void step(const ir::Frame& in, ir::Frame& out) override {
    inputs_.push_back(in);
    machine_.step(in, out);
  }
  const std::vector<ir::Frame>& inputs() const { return inputs_; }  // since power-up

 private:
  ir::Machine& machine_;
  std::vector<ir::Frame> inputs_;
};

// A finished run as a machine: it accepts only the same stimulus.
class RecordedMachine : public ir::Machine, public SeesUnknown {
 public:
  RecordedMachine(std::vector<ir::Frame> stimulus, IcarusRun run)
      : stimulus_(std::move(stimulus)), run_(std::move(run)) {}
  void power_up() override { cycle_ = 0; }
  void step(const ir::Frame& in, ir::Frame& out) override;
  const ir::Frame& unknown() const override { return run_.unknown.at(cycle_ - 1); }

 private:
  std::vector<ir::Frame> stimulus_;
  IcarusRun run_;
  std::size_t cycle_ = 0;
};

}  // namespace kumiki::backends
