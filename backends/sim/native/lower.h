// SPDX-License-Identifier: Apache-2.0
// Converts cells to operations on values. A value is a driven net or a helper. Wires, constants and
// buffers are removed, so several nets may have one value.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "backends/sim/native/lut_function.h"
#include "backends/support/flat/flatten.h"

namespace kumiki::backends::native {

struct LoweredOp {
  Op op;
  std::uint32_t level;
  std::uint32_t out;  // value; for a carry: the carry of position 0; for a kernel: its index
  std::array<std::uint32_t, 6> in;  // for a carry: carry in, first operand in carry_operands, sum 0
  std::uint64_t table;
};

struct LoweredFlop {
  std::uint32_t q, d;
  std::uint32_t control;
  bool init;
};

struct Control {
  std::uint32_t enable, reset;
  bool is_set;
  friend auto operator<=>(const Control&, const Control&) = default;
};

struct LoweredShift {
  std::uint32_t q, last;  // value of Q31; 0 if the primitive has none
  std::uint32_t d, enable;
  std::uint32_t length, tap, init;
};

struct Lowered {
  std::vector<std::uint32_t> value;           // of every net (by its driver) and every helper
  std::vector<LoweredOp> ops;                 // unordered; `level` gives the dependences
  std::vector<std::uint32_t> carry_operands;  // DI, then S
  std::vector<LoweredFlop> flops;
  std::vector<Control> controls;
  std::vector<LoweredShift> shifts;
  std::vector<std::uint32_t> kernels;  // indices in Flat::cells
  std::uint32_t half = 0;  // with a fast clock: the value that is 1 in the second half of a clock
};

// DesignError if a clock pin is not on a clock of the top.
Lowered lower(const Flat& flat);

}  // namespace kumiki::backends::native
