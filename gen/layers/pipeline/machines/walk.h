// SPDX-License-Identifier: Apache-2.0
// Where a machine is in its frame: counters that know their last value, and what depends on a
// counter's value alone, both from registers.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/hdl/delay_line.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

// 0, 1, …, modulo - 1, 0, …; of modulo 1 there is no counter.
class Cycle {
 public:
  Cycle(Scope& s, std::int64_t modulo, Net moves, Net reset);
  const UInt& at() const { return at_; }
  Net last() const { return last_; }  // at modulo - 1
  Net ends() const { return ends_; }  // moves from the last value to 0
  // table[at], from a register; a constant where all of it is alike.
  Net look_up(const std::vector<bool>& table) const;
  // at is one of these, in rising order: for few of many, which are no table of LUTs.
  Net is_one_of(const std::vector<std::int64_t>& values) const;

 private:
  Scope& s_;
  std::int64_t modulo_;
  Net moves_, reset_, last_ = ir::net_one, ends_;
  UInt at_;
};

// What a position says, so many clocks behind it: of a pipeline without enables.
class Flag : public DelayLine<Net> {
 public:
  Flag(Scope& s, Net now) : DelayLine(s, now, ir::net_one) {}
  // From a register of its own, for a part of a large load; from one clock on.
  Net copy(Scope& s, int clocks) {
    if (after(0).is_constant()) return after(0);
    return reg(s, after(clocks - 1));
  }
};

}  // namespace kumiki::gen::pipeline
