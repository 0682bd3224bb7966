// SPDX-License-Identifier: Apache-2.0
// Simplifies a look-up table: removes constants and unused inputs and recognises common functions.
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace kumiki::backends::native {

// Operations on 64-lane words. Up to lut6, `arity` operands and one result.
enum class Op : std::uint8_t {
  invert,
  and2,
  andn2,  // a & ~b
  nor2,
  nand2,
  or2,
  orn2,  // a | ~b
  xor2,
  xnor2,
  and3,
  or3,
  xor3,
  xnor3,
  majority,
  mux,  // c ? b : a
  lut3,
  lut4,
  lut5,
  lut6,
  carry4,  // operands: carry in, DI, S; results: CO, O
  carry8,
  kernel,  // the primitive table's own function
};

constexpr unsigned arity(Op op) {
  if (op == Op::invert) return 1;
  if (op <= Op::xnor2) return 2;
  if (op <= Op::lut3) return 3;
  return 4 + static_cast<unsigned>(op) - static_cast<unsigned>(Op::lut4);
}
constexpr bool has_table(Op op) { return op >= Op::lut3 && op <= Op::lut6; }

// A function of `inputs` <= 6 values; value 0 is the constant 0, value 1 the constant 1.
struct LutFunction {
  std::uint64_t table = 0;  // 2^inputs bits are used, input 0 is the least significant index
  unsigned inputs = 0;
  std::array<std::uint32_t, 6> in{};
};

// The same function of fewer values: no constants, no duplicates, no irrelevant values.
LutFunction reduce(const LutFunction& f);

// The operation that computes a reduced function of at least one value; may reorder its operands.
// The identity has no operation: the caller treats it as a wire.
Op recognise(LutFunction& f);

}  // namespace kumiki::backends::native
