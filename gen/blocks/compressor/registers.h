// SPDX-License-Identifier: Apache-2.0
// Registers in a combinational netlist, where its paths ask for them: the shortest latency, and of
// all ways to place registers for it one with the fewest flip-flops.
//
// Every part of the netlist (a LUT, or a carry chain with its LUTs) gets the clock in which it
// works. Data flow on: no part works before what it reads. A path that is too long for a clock has
// its ends in different ones. A net has as many flip-flops as clocks lie between its driver and its
// last reader. All of that are differences of two variables, so the linear program has whole
// numbers for a solution.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "gen/blocks/compressor/paths.h"
#include "gen/hdl/scope.h"
#include "ir/error.h"

namespace kumiki::gen::compressor {

// What lies between two registers, at most: LUTs and chains, each a level; or a period of the
// clock by the estimate of the clock.
struct Between {
  int levels = 0;
  Picoseconds period = 0;
  ir::timing::Grade grade = {};
  bool is_asked() const { return levels > 0 || period > 0; }
  bool operator==(const Between&) const = default;
};

struct Placement {
  unsigned latency = 0;
  std::vector<unsigned> clock;   // of every cell, from 0 on
  std::uint64_t flip_flops = 0;  // of data
  int levels = 0;                // LUTs and carry blocks between registers, as timing counts them
  Picoseconds period = 0;        // by the estimate of the clock
  bool operator==(const Placement&) const = default;
};

// What stands between two registers is longer than it may be, and no register can divide it.
struct ChainTooLong : DesignError {
  explicit ChainTooLong(Picoseconds wanted);
  Picoseconds least;  // levels, or a period, that would be enough for it
};

// With registers behind all outputs. `pulse` is called now and then; false: stop (Interrupted).
Placement place_registers(const ir::Module& module, const Between& between,
                          const std::function<bool()>& pulse = {});

// The cells of `from` in the module of the scope, with the registers. `inputs` stand for the input
// bits of `from`; the result for its output bits, behind their registers.
std::vector<Net> build_with_registers(Scope& s, const ir::Module& from, const Placement& placement,
                                      std::span<const Net> inputs, Net enable,
                                      SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen::compressor
