// SPDX-License-Identifier: Apache-2.0
// The position of a machine in its frame: counters that know their last value, and functions of a
// counter's value, both from registers.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/hdl/delay_line.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen {

// Counts 0, 1, …, modulo - 1, 0, …; modulo 1 needs no counter.
class Cycle {
 public:
  Cycle(Scope& s, std::int64_t modulo, Net moves, Net reset);
  const UInt& at() const { return at_; }
  Net last() const { return last_; }  // at modulo - 1
  Net ends() const { return ends_; }  // moves on from the last value to 0
  // table[at], from a register; a constant if all entries are equal.
  Net look_up(const std::vector<bool>& table) const;
  // Whether `at` is one of these values, in rising order. For few values of many; comparisons are
  // then cheaper than a table in LUTs.
  Net is_one_of(const std::vector<std::int64_t>& values) const;

 private:
  Scope& s_;
  std::int64_t modulo_;
  Net moves_, reset_, last_ = ir::net_one, ends_;
  UInt at_;
};

// A property of a position, delayed by so many clocks, for a pipeline without enables.
class Flag : public DelayLine<Net> {
 public:
  Flag(Scope& s, Net now) : DelayLine(s, now, ir::net_one) {}
  // A copy from its own register, for part of a large load; `clocks` must be at least 1.
  Net copy(Scope& s, int clocks) {
    if (after(0).is_constant()) return after(0);
    return reg(s, after(clocks - 1));
  }
};

}  // namespace kumiki::gen
