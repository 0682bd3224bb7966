// SPDX-License-Identifier: Apache-2.0
// Counters that look one step ahead: a flip-flop tells whether a counter is at its last value.
#pragma once
#include <vector>

#include "gen/hdl/hdl.h"
#include "gen/hdl/skid.h"

namespace kumiki::gen::array {

// Counts a limit down to 0 and repeats. It uses digits of 8 bits, so that no carry goes further
// than a digit. `load`: loads the limit at the start of a layer, one clock after its descriptor is
// available.
class Down {
 public:
  Down(Scope& s, const UInt& limit, Net load);
  Net last() const { return last_.q(); }
  // Whether at most so many are left after this value; up to 255.
  Net at_most(std::uint32_t left);
  void finish(Net step);

 private:
  static constexpr std::uint32_t digit_bits = 8;
  struct Digit {
    UInt limit, value;
    Net none;  // the digit is 0: a flip-flop
  };
  // Whether the digit is `n` and all higher digits are 0.
  Net is(std::uint32_t n);
  struct Mark {
    std::uint32_t left;
    Reg<Net> reached;
  };
  Scope& s_;
  UInt limit_;
  Net load_;
  std::vector<Digit> digits_;
  std::vector<Mark> marks_;
  Wire<Net> moves_;
  Reg<Net> last_;
};

// Counts 0, 1, …, and from 0 again after `last`.
class Up {
 public:
  Up(Scope& s, std::uint32_t width, Net load);
  const UInt& value() const { return value_; }
  void finish(Net step, Net last);

 private:
  Scope& s_;
  Net load_;
  Wire<Net> moves_, wraps_;
  UInt value_;
};

// Counts the taps of a phase of the kernel, and the phases. After the first `high` phases, a phase
// has one tap less.
class Taps {
 public:
  struct Limits {
    UInt taps, phases, high;  // minus one
  };
  Taps(Scope& s, const Limits& limits, Net load);
  Net tap_last() const { return tap_last_; }
  Net phase_last() const { return phase_last_; }
  const UInt& tap() const { return tap_; }
  void finish(Net step_tap, Net step_phase);

 private:
  Scope& s_;
  Limits limits_;
  Net load_;
  Wire<Net> tap_moves_, phase_moves_, wraps_;
  Net tap_last_, phase_last_;
  UInt tap_;
};

// The steps of a layer in order, counted ahead of their user. Two of them wait in registers, so
// that no counter depends on what delays a step.
class Sequence {
 public:
  // `load`: as for the counters. The first step may be taken two clocks later.
  Sequence(Scope& s, Net load, Net rst);
  Net step() const { return step_; }  // the counters move
  // Passes a property along with its step; returns it for the waiting step.
  Net pass(Net n) { return skid_.pass(n); }
  UInt pass(const UInt& w) { return skid_.pass(w); }
  Net valid() const { return skid_.valid(); }
  void finish(Net last, Net taken);

 private:
  Scope& s_;
  Net load_;
  Reg<Net> active_;
  Wire<Net> taken_;
  Skid skid_;
  Net step_;
};

}  // namespace kumiki::gen::array
