// SPDX-License-Identifier: Apache-2.0
// Places registers in a combinational netlist so that its paths meet the request. The result has
// the shortest latency and, for this latency, the fewest flip-flops.
//
// Every part of the netlist (a LUT, or a carry chain with its LUTs) gets the clock in which it
// works. No part works before its drivers. If a path is too long for one clock, its ends are in
// different clocks. A net has as many flip-flops as clocks lie between its driver and its last
// reader. All these constraints are differences of two variables, so the linear program has an
// integer solution.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "gen/blocks/compressor/paths.h"
#include "gen/hdl/scope.h"
#include "ir/error.h"

namespace kumiki::gen::compressor {

// The limit between two registers: LUTs and chains, each a level; or a clock period by the timing
// estimate.
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
  Picoseconds period = 0;        // by the timing estimate
  bool operator==(const Placement&) const = default;
};

// The logic between two registers is longer than allowed, and no register can divide it.
struct ChainTooLong : DesignError {
  explicit ChainTooLong(Picoseconds wanted);
  Picoseconds least;  // the least levels, or period, that it needs
};

// Registers follow all outputs. `pulse` is called now and then; false: stop (Interrupted).
Placement place_registers(const ir::Module& module, const Between& between,
                          const std::function<bool()>& pulse = {});

// Copies the cells of `from`, with the registers, into the module of the scope. `inputs` replace
// the input bits of `from`. The result replaces its output bits, behind their registers.
std::vector<Net> build_with_registers(Scope& s, const ir::Module& from, const Placement& placement,
                                      std::span<const Net> inputs, Net enable,
                                      SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen::compressor
