// SPDX-License-Identifier: Apache-2.0
// The emitted Verilog under Icarus, with our own models of the primitives or with the vendor's.
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
  // The folder of the vendor's simulation models: DSP48E2.v, LUT6_2.v, …, one file a primitive, and
  // glbl.v there or one level up. Empty: our own models.
  std::filesystem::path unisim = {};
  unsigned seconds = 3600;  // longer is a failure

  // Cycles whose waveforms are wanted.
  struct Window {
    std::uint64_t first, last;
  };
  std::optional<Window> window = {};
};

struct IcarusRun {
  std::vector<ir::Frame> outputs;
  std::vector<ir::Frame> unknown;  // bits that were x or z; they are 0 in outputs
  std::string vcd;                 // when a window was asked for
};

// One output frame for each frame of inputs, from power-up on. FileError when a file of the vendor
// is missing, ToolError when Icarus is or when it fails.
IcarusRun run_icarus(const VerilogNetlist& netlist, std::span<const ir::Frame> stimulus,
                     const IcarusOptions& options = {});

// Remembers the inputs that a machine was fed. Where the stimulus depends on the answers, a
// simulator that runs on its own can then be fed the same.
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

// A finished run as a machine: it answers the same stimulus, and no other.
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
