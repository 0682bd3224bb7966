// SPDX-License-Identifier: Apache-2.0
// The native simulator as a machine: one at a time, or 64 at once.
#pragma once
#include <memory>
#include <span>

#include "backends/sim/native/simulator.h"
#include "ir/lane_machine.h"

namespace kumiki::backends {

// All lanes have the same inputs, so lane 0 stands for all.
class NativeMachine : public ir::Machine {
 public:
  explicit NativeMachine(const ir::Design& design, NativeOptions options = {})
      : simulator_(design, options) {}

  void power_up() override { simulator_.power_up(); }
  void step(const ir::Frame& in, ir::Frame& out) override {
    simulator_.set_frame(in);
    simulator_.get_frame(out, 0);
    simulator_.clock();
  }
  NativeSimulator& simulator() { return simulator_; }

 private:
  NativeSimulator simulator_;
};

// Up to 64 machines of one design, stepped together: frame i belongs to machine i.
class NativeMachines {
 public:
  explicit NativeMachines(const ir::Design& design, NativeOptions options = {})
      : simulator_(design, options) {}

  void power_up() { simulator_.power_up(); }
  void step(std::span<const ir::Frame> in, std::span<ir::Frame> out) {
    simulator_.set_frames(in);
    simulator_.get_frames(out);
    simulator_.clock();
  }
  NativeSimulator& simulator() { return simulator_; }

 private:
  NativeSimulator simulator_;
};

// The same 64, accessed port by port and bit by bit, for callers that change few of many bits.
class NativeLanes : public ir::LaneMachine {
 public:
  explicit NativeLanes(const ir::Design& design, NativeOptions options = {})
      : own_(std::make_unique<NativeSimulator>(design, options)), simulator_(*own_) {}
  // Uses an existing simulator, which nobody else may step meanwhile.
  explicit NativeLanes(NativeSimulator& simulator) : simulator_(simulator) {}

  const ir::PortLayout& ports() const override { return simulator_.ports(); }
  void power_up() override { simulator_.power_up(); }
  void set(unsigned input, std::span<const ir::Lanes> bits) override {
    simulator_.set_bits(input, bits);
  }
  void get(unsigned output, std::span<ir::Lanes> bits) override {
    simulator_.get_bits(output, bits);
  }
  void clock() override { simulator_.clock(); }
  NativeSimulator& simulator() { return simulator_; }

 private:
  std::unique_ptr<NativeSimulator> own_;
  NativeSimulator& simulator_;
};

}  // namespace kumiki::backends
