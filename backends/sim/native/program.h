// SPDX-License-Identifier: Apache-2.0
// A netlist compiled for 64 lanes. Every value has a slot, a 64-lane word; slots 0 and 1 are the
// constants. Operations of one level are independent, so equal ones form one batch.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "backends/sim/native/lut_function.h"
#include "backends/support/flat/flatten.h"
#include "ir/machine.h"

namespace kumiki::backends::native {

// Results go to consecutive slots from `out` on, operands are slots in the program's pool.
struct Batch {
  Op op;
  std::uint32_t count, operands, out, tables;
};

// Slots from which an input of a kernel takes its bits: consecutive slots, or one slot for all
// bits.
struct Run {
  std::uint32_t from, count;
  bool repeats;
};

// A cell that the primitive table's own kernel evaluates.
struct KernelCell {
  const ir::Prototype* prototype;
  ir::CellView view;
  std::size_t state;                     // offset in the state memory
  std::uint32_t first_run, run_count;    // gathered inputs
  std::uint32_t out;                     // its outputs are consecutive slots
  bool is_clocked, has_register_output;  // outputs that depend on no input: refreshed by the clock
  bool is_fast;                          // on the fast clock
};

// Flip-flops with common controls and consecutive outputs. D is consecutive slots from `d` on, or
// slots in the pool from `d` on. Enable slot 1 and reset slot 0 mean "none".
struct FlopRun {
  std::uint32_t q, d, count, enable, reset;
  bool is_set, is_gather;
};

struct Copy {
  std::uint32_t from, to;
};

// Shift registers of one length and fixed tap with a common enable. Without an enable, the rows of
// `count` words form a ring whose start moves. With one, every element shifts its own words.
struct ShiftGroup {
  std::uint32_t length, tap, count, enable;
  std::uint32_t d;     // operands in the pool
  std::uint32_t q;     // consecutive slots
  std::uint32_t last;  // consecutive slots of the cascade output Q31, 0: none
  std::uint32_t init;  // first of `count` words in Program::shift_init
  std::size_t state;
  bool is_ring() const { return enable == 1; }
};

struct Program {
  std::uint32_t slots = 2;
  std::size_t state_words = 0;
  std::size_t widest_kernel = 0;  // input bits
  std::vector<std::uint32_t> pool;
  std::vector<std::uint64_t> tables;
  std::vector<Run> runs;

  std::vector<Batch> batches;  // one settle
  std::size_t levels = 0;

  std::vector<Copy> copies;  // one clock: these first, then everything that only reads slots …
  std::vector<KernelCell> kernels;
  std::vector<ShiftGroup> shifts;
  std::vector<FlopRun> flops;  // … then these, in this order

  std::vector<std::uint32_t> shift_init;
  std::uint32_t first_q = 0;    // slots of all flip-flops are consecutive
  std::vector<bool> flop_init;  // of slot first_q + i

  ir::PortLayout ports;
  std::uint32_t half_slot = 0;            // 1 in the second half of a clock; 0: no fast clock
  std::vector<std::uint32_t> input_slot;  // first slot of every input port
  std::vector<std::vector<std::uint32_t>> output_slots;  // slot of every bit of an output port
  std::vector<std::uint32_t> net_slot;  // of every net of the flat netlist; no_slot: not driven
};
inline constexpr std::uint32_t no_slot = ~std::uint32_t{0};

Program compile(const Flat& flat);

}  // namespace kumiki::backends::native
