// SPDX-License-Identifier: Apache-2.0
// The delays of an estimate, by family and speed grade. docs/timing.md says where each comes from.
#pragma once
#include <cstdint>
#include <string_view>

#include "ir/primitive.h"

namespace kumiki::ir::timing {

using Picoseconds = std::int32_t;

// A DSP slice as stages, each followed by a register or none.
struct DspDelays {
  Picoseconds pin = 0;          // from a pin to the place of its register
  Picoseconds cascade_in = 0;   // the same from ACIN and BCIN
  Picoseconds clk_to_q = 0;     // of a register inside
  Picoseconds select = 0;       // from A or B to the multiplier, past the pre-adder
  Picoseconds pre_adder = 0;    // from D and A or B to AD
  Picoseconds multiplier = 0;   // to the register M
  Picoseconds past_m = 0;       // if M is not a register
  Picoseconds alu = 0;          // from its operands to the register P
  Picoseconds out = 0;          // if P is not a register
  Picoseconds pattern = 0;      // the pattern detector, after the adder
  Picoseconds p_clk_to_q = 0;   // from the register P to a pin
  Picoseconds cascade_out = 0;  // additional, to PCOUT, ACOUT, BCOUT and the like
  Picoseconds setup = 0;        // of a register next to its pin
  Picoseconds inner_setup = 0;  // of AD, M and P
  Picoseconds control = 0;      // of enables and resets
};

struct WireDelays {
  Picoseconds base = 0;            // any wire through the fabric
  Picoseconds doubling = 0;        // for each doubling of the fan-out
  Picoseconds root = 0;            // times the square root of the fan-out: the readers need room
  Picoseconds column = 0;          // to or from a DSP slice or a block of memory
  Picoseconds beside = 0;          // inside a slice: LUT to carry, to MUXF7, to its flip-flop
  Picoseconds carry_to_carry = 0;  // from one carry block to the next
  Picoseconds cascade = 0;         // from one DSP slice to the next
  Picoseconds far = 0;             // more for a path from a flip-flop: not all can be near

  // The delay of a wire through the fabric with this many readers.
  Picoseconds through_fabric(double readers) const;
};

struct Delays {
  Picoseconds clk_to_q = 0, setup = 0, control = 0;  // flip-flops; control: enable and reset
  Picoseconds lut = 0, muxf7 = 0, muxf8 = 0;
  Picoseconds carry_entry = 0;     // from S, DI or a carry input of the fabric into the chain
  Picoseconds carry_position = 0;  // for each position passed
  Picoseconds carry_exit = 0;      // from the chain to O, and from CO to the fabric
  Picoseconds carry_sum = 0;       // from S to O of the same position
  Picoseconds carry_cascade = 0;   // from the block below into the chain
  Picoseconds srl_clk_to_q = 0, srl_read = 0, srl_setup = 0;
  Picoseconds ram_clk_to_q = 0, ram_read = 0, ram_setup = 0;  // distributed memory
  Picoseconds bram_clk_to_q = 0, bram_register_clk_to_q = 0, bram_setup = 0;
  Picoseconds uram_clk_to_q = 0, uram_register_clk_to_q = 0, uram_setup = 0;
  DspDelays dsp;
  WireDelays wire;
  Picoseconds uncertainty = 0;  // of the clock
  bool counts_levels = false;   // the table for levels: a cell counts one and a wire nothing

  // A path from a flip-flop of the design; an input port is not far.
  Picoseconds from_flop() const { return clk_to_q + wire.far; }
};

// Speed grade 1 is the slowest, 3 the fastest.
struct Grade {
  int value = 1;
  bool operator==(const Grade&) const = default;
};
bool grade_from_name(std::string_view name, Grade& grade);  // "-2" or "2"
// The grade in an ordering code, "xczu9eg-ffvb1156-2-e"; the slowest if it has none.
Grade grade_of_part(std::string_view part);

Delays delays(Family family, Grade grade);
// A level for every LUT, MUXF, carry block, and for a slice or memory passed without a register.
const Delays& levels();

// The fastest clocks of a data sheet, in MHz; 0: the family has no such part.
struct ClockLimits {
  std::uint32_t clock_tree;
  // A DSP slice with all registers, and without M, without AD, without both; each also with pattern
  // detector. For the pattern detector without AD, the data sheet has no figure.
  std::uint32_t dsp, dsp_pattern;
  std::uint32_t no_m, no_m_pattern;
  std::uint32_t no_ad;
  std::uint32_t no_m_no_ad, no_m_no_ad_pattern;
  std::uint32_t block_ram;
  std::uint32_t ultra_ram;
};
const ClockLimits& clock_limits(Family family, Grade grade);

}  // namespace kumiki::ir::timing
