// SPDX-License-Identifier: Apache-2.0
// What goes into slices, an element at a time: LUTs, flip-flops, and who drives and reads what.
#pragma once
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "backends/timing/netlist.h"

namespace kumiki::backends::fabric {

using timing::none;

// A LUT, or what stands in its place: a shift register or a word's bits of distributed memory.
struct Lut {
  std::uint32_t o6 = none, o5 = none;  // nets; none: no such output, or nobody reads it
  std::vector<std::uint32_t> inputs;   // nets, sorted, none twice; without constants
  bool placed = false;
  std::uint32_t partner = none;  // the other LUT of a pair
};

// What flip-flops of a slice share.
using Control = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // clock, reset, enable

struct Flop {
  std::uint32_t d = none;
  std::uint32_t control = 0;  // in Elements::controls
  bool placed = false;
};

// LUTs that are written together: shift registers, or a block of distributed memory.
struct Memory {
  std::uint32_t clock = 0;
  std::vector<std::uint32_t> shifts;  // of shift registers: `luts`
  std::uint32_t sites = 0;            // of distributed memory
  std::uint32_t words_bits = 0;       // of it that four sites bring out: RAM32M or RAM64M
  std::vector<std::uint32_t> flops;   // behind these bits
};

struct Elements {
  explicit Elements(const timing::Netlist& netlist);

  const timing::Netlist& netlist;
  std::vector<Lut> luts;
  std::vector<Flop> flops;
  std::vector<Control> controls;
  std::vector<Memory> memories;
  std::vector<std::uint32_t> carries, muxf7, muxf8;  // cells
  std::vector<std::uint32_t> lut_of;                 // of every net: the LUT whose O6 it is
  std::vector<std::vector<std::uint32_t>> flops_of;  // of every net: the flip-flops with it at D
};

// Pairs LUTs that have a net in common and see at most five together. One of a pair may be `fixed`
// to a position.
void pair_up(Elements& elements, const std::vector<bool>& fixed);

}  // namespace kumiki::backends::fabric
