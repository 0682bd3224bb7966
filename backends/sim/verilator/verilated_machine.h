// SPDX-License-Identifier: Apache-2.0
// The emitted Verilog as a machine: verilated, compiled, loaded into this process.
#pragma once
#include <memory>

#include "backends/sim/verilator/model.h"
#include "ir/machine.h"

namespace kumiki::backends {

class VerilatedMachine : public ir::Machine {
 public:
  explicit VerilatedMachine(const VerilogNetlist& netlist, const VerilatorOptions& options = {});
  explicit VerilatedMachine(const ir::Design& design, const VerilatorOptions& options = {})
      : VerilatedMachine(verilog_netlist(design), options) {}
  ~VerilatedMachine() override;
  VerilatedMachine(VerilatedMachine&&) noexcept;
  VerilatedMachine& operator=(VerilatedMachine&&) noexcept;

  void power_up() override;
  void step(const ir::Frame& in, ir::Frame& out) override;
  // Runs many cycles in one call: frame after frame, limbs as in the port layout.
  void run(std::uint64_t cycles, const std::uint64_t* in, std::uint64_t* out);

  // Writes waveforms from the next cycle on, until power_up or close_trace. Requires a build with
  // trace.
  void trace_to(const std::filesystem::path& file);
  void close_trace();

  const ir::PortLayout& ports() const;
  const VerilatorBuild& build() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace kumiki::backends
