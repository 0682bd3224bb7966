// SPDX-License-Identifier: Apache-2.0
// Primitives as aggregates: name the pins that you connect; all others are tied as the primitive
// table says. For code that needs a certain cell. The functions of lut.h, arithmetic.h and state.h
// choose cells themselves.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "gen/hdl/scope.h"
#include "gen/hdl/table.h"
#include "ir/primitives/memory.h"

namespace kumiki::gen {

// A LUT1 to LUT6, by the number of inputs of the table.
struct Lut {
  Table init;
  std::vector<Net> in;
  Net add_to(Scope& s, SourceLocation here = SourceLocation::current()) const;
};

struct Lut6_2 {
  Table init;           // of pairs, or of six inputs: then O5 is the lower half
  std::vector<Net> in;  // missing ones: I5 = 1, others 0
  struct Out {
    Net o6, o5;
  };
  Out add_to(Scope& s, SourceLocation here = SourceLocation::current()) const;
};

struct Carry4 {
  Net ci = ir::net_zero, cyinit = ir::net_zero;
  std::array<Net, 4> di = {ir::net_zero, ir::net_zero, ir::net_zero, ir::net_zero};
  std::array<Net, 4> s = {ir::net_zero, ir::net_zero, ir::net_zero, ir::net_zero};
  struct Out {
    std::array<Net, 4> co, o;
  };
  Out add_to(Scope& s, SourceLocation here = SourceLocation::current()) const;
};

struct Carry8 {
  Net ci = ir::net_zero;
  std::array<Net, 8> di = {ir::net_zero, ir::net_zero, ir::net_zero, ir::net_zero,
                           ir::net_zero, ir::net_zero, ir::net_zero, ir::net_zero};
  std::array<Net, 8> s = {ir::net_zero, ir::net_zero, ir::net_zero, ir::net_zero,
                          ir::net_zero, ir::net_zero, ir::net_zero, ir::net_zero};
  struct Out {
    std::array<Net, 8> co, o;
  };
  Out add_to(Scope& s, SourceLocation here = SourceLocation::current()) const;
};

// Cells side by side if one is not wide enough.
struct Memory {
  std::uint32_t depth, width;
  ir::memory::Style style = ir::memory::block;
  ir::memory::Read read = ir::memory::registered;
  std::vector<std::uint64_t> contents = {};  // words of up to 64 bits; missing ones are 0
  Net write_enable = ir::net_zero;
  UInt write_address = {}, write_data = {};  // left out: a ROM
  Net read_enable = ir::net_one;
  UInt read_address;
  UInt add_to(Scope& s, SourceLocation here = SourceLocation::current()) const;
};

// Bits that address `depth` words; at least 1.
std::uint32_t address_width(std::uint64_t depth);

}  // namespace kumiki::gen
