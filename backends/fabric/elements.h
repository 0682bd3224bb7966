// SPDX-License-Identifier: Apache-2.0
// The elements that go into slices: LUTs, flip-flops, and their drivers and readers.
#pragma once
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "backends/timing/netlist.h"

namespace kumiki::backends::fabric {

using timing::none;

// A LUT, or an element in its place: a shift register or a word's bits of distributed memory.
struct Lut {
  std::uint32_t o6 = none, o5 = none;  // nets; none: no such output, or it has no reader
  std::vector<std::uint32_t> inputs;   // nets, sorted, without duplicates and constants
  bool placed = false;
  std::uint32_t partner = none;  // the other LUT of a pair
};

// The signals that flip-flops of a slice share.
using Control = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // clock, reset, enable

struct Flop {
  std::uint32_t d = none;
  std::uint32_t control = 0;  // in Elements::controls
  bool placed = false;
};

// LUTs with common write signals: shift registers, or a block of distributed memory.
struct Memory {
  std::uint32_t clock = 0;
  std::vector<std::uint32_t> shifts;  // shift registers, as indices in `luts`
  std::uint32_t sites = 0;            // of distributed memory
  std::uint32_t words_bits = 0;       // bits of distributed memory that four sites output: RAM32M
                                      // or RAM64M
  std::vector<std::uint32_t> flops;   // driven by these bits
};

struct Elements {
  explicit Elements(const timing::Netlist& netlist);

  const timing::Netlist& netlist;
  std::vector<Lut> luts;
  std::vector<Flop> flops;
  std::vector<Control> controls;
  std::vector<Memory> memories;
  std::vector<std::uint32_t> carries, muxf7, muxf8;  // cells
  std::vector<std::uint32_t> lut_of;                 // of every net: the LUT that drives it with O6
  std::vector<std::vector<std::uint32_t>> flops_of;  // of every net: the flip-flops with it at D
};

// Pairs LUTs that share a net and have at most five inputs together. One LUT of a pair may be
// `fixed` to a position.
void pair_up(Elements& elements, const std::vector<bool>& fixed);

}  // namespace kumiki::backends::fabric
