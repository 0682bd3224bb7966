// SPDX-License-Identifier: Apache-2.0
// ONE table describes everything about a primitive: pins, parameters, rules, cost, dependence and
// the simulation kernel. A primitive does not enter the table without a kernel.
//
// A cell is `width` equal elements of its primitive side by side (a 32-bit register is one FDRE
// cell of width 32). Pins marked `shared` (clock, enable, reset, addresses) have one connection for
// all elements; every other pin has `width` of them. Nets of a cell are ordered by pin in table
// order, element 0 first; primitives with multi-bit pins (carry, DSP, memory) have width 1.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/net.h"

namespace kumiki::ir {

enum class Kind : std::uint8_t {
  instance,  // of another module: not a primitive
  lut1,
  lut2,
  lut3,
  lut4,
  lut5,
  lut6,
  lut6_2,
  carry4,
  carry8,
  muxf7,
  muxf8,
  fdre,
  fdse,
  srl16e,
  srlc32e,
  dsp48e1,
  dsp48e2,
  uram288,
  memory,
};
inline constexpr unsigned kind_count = static_cast<unsigned>(Kind::memory) + 1;

constexpr bool is_lut(Kind k) { return k >= Kind::lut1 && k <= Kind::lut6_2; }
constexpr bool is_flop(Kind k) { return k == Kind::fdre || k == Kind::fdse; }
constexpr bool is_dsp(Kind k) { return k == Kind::dsp48e1 || k == Kind::dsp48e2; }

enum class Family : std::uint8_t { series7, ultrascale, ultrascale_plus };
std::string_view family_name(Family family);  // "7series", "ultrascale", …
bool family_from_name(std::string_view name, Family& family);

enum class Tie : std::uint8_t { required, zero, one, open };  // what an input pin gets when unused

struct Pin {
  std::string_view name;
  std::uint16_t width = 1;
  bool shared = false;
  bool clock = false;
  Tie tie = Tie::required;
  std::int8_t width_param = -1;  // >= 0: the width is the value of that parameter (memories)
};

struct Param {
  enum class Type : std::uint8_t { integer, bits, text };
  std::string_view name;
  Type type = Type::integer;
  std::uint8_t width = 32;                         // of a bits parameter
  std::span<const std::string_view> choices = {};  // of a text parameter; the value is the index
  std::uint64_t fallback = 0;
};

// Initial contents of a memory: words of `width` bits, 64 bits a limb, least significant limb
// first.
struct Blob {
  std::uint32_t width = 0;
  std::vector<std::uint64_t> limbs;
  std::size_t limbs_per_word() const { return (width + 63) / 64; }
};

// The functions of the table get this view of a cell.
struct CellView {
  std::span<const std::uint64_t> params;
  std::uint32_t width = 1;
  const Blob* blob = nullptr;
};

struct Cost {
  std::uint32_t luts = 0;      // LUT sites used as logic
  std::uint32_t lut_rams = 0;  // LUT sites used as shift register or distributed RAM
  std::uint32_t ffs = 0;
  std::uint32_t carry_bits = 0;  // carry positions, in whole CARRY4/CARRY8 blocks
  std::uint32_t muxes = 0;       // MUXF7 and MUXF8
  std::uint32_t dsps = 0;
  std::uint32_t brams_18k = 0;
  std::uint32_t urams = 0;
  Cost& operator+=(const Cost& other);
};

// One bit of 64 independent simulations.
using Lanes = std::uint64_t;

// The kernel works on gathered nets in table order. `evaluate` gives the outputs for the present
// inputs and state, `clock` is the rising edge. State is `state_words` words of the simulator's
// memory.
struct Kernel {
  std::size_t (*state_words)(const CellView& cell) = nullptr;  // null: no state
  void (*power_up)(const CellView& cell, Lanes* state) = nullptr;
  void (*evaluate)(const CellView& cell, const Lanes* in, const Lanes* state, Lanes* out) = nullptr;
  void (*clock)(const CellView& cell, const Lanes* in, Lanes* state) = nullptr;
};

struct Prototype {
  Kind kind;
  std::string_view name;
  std::span<const Pin> inputs;
  std::span<const Pin> outputs;
  std::span<const Param> params;
  bool vector = false;  // may have width > 1
  Cost (*cost)(const CellView& cell) = nullptr;
  // Input pins (bit i = inputs[i]) that reach an output pin without a register in between.
  std::uint64_t (*reach)(const CellView& cell, unsigned output) = nullptr;
  // Whether bit `in_bit` of an input pin reaches this bit of an output pin. Null: every bit of a
  // pin that reaches the output pin does.
  bool (*reach_bit)(unsigned input, unsigned in_bit, unsigned output, unsigned out_bit) = nullptr;
  // Broken rules, one sentence each. `in` are the cell's input nets, for rules about constants on
  // dynamic pins.
  void (*legality)(const CellView& cell, std::span<const Net> in, Family family,
                   std::vector<std::string>& broken) = nullptr;
  Kernel kernel;
};

const Prototype& prototype(Kind kind);
const Prototype* find_prototype(std::string_view name);  // null: no such primitive
std::vector<std::string_view> primitive_names();         // for messages

// Connections of a pin / of all pins of a cell.
std::uint32_t pin_width(const Pin& pin, const CellView& cell);
std::uint32_t total_width(std::span<const Pin> pins, const CellView& cell);
// The number for all inputs or outputs of a primitive, without a loop over the pins.
std::uint32_t input_width(Kind kind, const CellView& cell);
std::uint32_t output_width(Kind kind, const CellView& cell);
// The index of the clock among the inputs; empty if the primitive has none.
std::optional<std::uint32_t> clock_input(Kind kind, const CellView& cell);

// The entries of the table; each is a file of ir/primitives/.
const Prototype& lut_prototype(unsigned inputs);
const Prototype& lut6_2_prototype();
const Prototype& carry_prototype(Kind kind);
const Prototype& muxf_prototype(Kind kind);
const Prototype& flop_prototype(Kind kind);
const Prototype& shift_register_prototype(Kind kind);
const Prototype& dsp_prototype(Kind kind);
const Prototype& uram288_prototype();
const Prototype& memory_prototype();

}  // namespace kumiki::ir
