// SPDX-License-Identifier: Apache-2.0
// Runs a compiled netlist: slots and state in, slots and state out.
#pragma once
#include <cstdint>
#include <vector>

#include "backends/sim/native/look_up.h"
#include "backends/sim/native/program.h"

namespace kumiki::backends::native {

class Engine {
 public:
  Engine(Program program, LookUps look_ups);

  const Program& program() const { return p_; }
  ir::Lanes* slots() { return slots_.data(); }
  const ir::Lanes* slots() const { return slots_.data(); }

  std::size_t bytes() const;

  void power_up();  // inputs become 0
  void settle();    // from inputs and registers to all other values
  void clock();     // registers from settled values
  // With a fast clock: sets the half of the clock. The edge that ends the first half moves only the
  // registers on the fast clock.
  void set_half(bool second);

 private:
  void run(const Batch& batch);
  void gather(const KernelCell& cell);
  void evaluate_registers();
  void clock_shift(const ShiftGroup& group, std::uint32_t& start);
  void show_shift(const ShiftGroup& group, std::uint32_t start);
  void clock_flops(const FlopRun& run);

  Program p_;
  LookUps look_ups_;
  std::vector<ir::Lanes> slots_, state_, gathered_;
  std::vector<std::uint32_t> ring_start_;  // of every shift group: the row with the newest word
};

}  // namespace kumiki::backends::native
