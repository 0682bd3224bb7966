// SPDX-License-Identifier: Apache-2.0
// A machine has ports and a clock. The model, the native simulator, the verilated netlist and the
// vendor's models are all machines, so whatever drives or compares one can drive or compare any.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/design.h"

namespace kumiki::ir {

// The clock of every module is its input port of this name; it is not part of a frame.
inline constexpr std::string_view clock_port = "clk";
// A clock of twice its frequency, in phase with it: every rising edge of `clk` is also one of
// `clk2x`. It is not part of a frame either.
inline constexpr std::string_view fast_clock_port = "clk2x";
constexpr bool is_clock_port(std::string_view name) {
  return name == clock_port || name == fast_clock_port;
}
inline bool has_fast_clock(const Module& top) { return top.find_port(fast_clock_port) != nullptr; }

struct PortSlot {
  std::string name;
  std::uint32_t width = 0;
  bool is_signed = false;
  std::uint32_t limb = 0;  // its first 64-bit limb in a frame; every port starts a new limb
  std::uint32_t limbs() const { return (width + 63) / 64; }
};

struct PortLayout {
  std::vector<PortSlot> inputs, outputs;
  std::uint32_t input_limbs = 0, output_limbs = 0;
};
PortLayout layout(const Module& top);

// The values of all input (or all output) ports in one cycle, unused high bits 0.
using Frame = std::vector<std::uint64_t>;

class Machine {
 public:
  virtual ~Machine() = default;
  // Back to the state after configuration: registers at their INIT.
  virtual void power_up() = 0;
  // One cycle: inputs are applied while the clock is low, outputs are read, the clock rises. A fast
  // clock also rises once alone, between the inputs and the outputs, and once with `clk`.
  virtual void step(const Frame& in, Frame& out) = 0;
  // The output bits of the last step that mean something; null: all of them. A model declares here
  // that data is valid only while its valid bit is 1.
  virtual const Frame* valid_mask() const { return nullptr; }
};

}  // namespace kumiki::ir
