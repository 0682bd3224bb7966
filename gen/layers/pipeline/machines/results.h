// SPDX-License-Identifier: Apache-2.0
// Results at the end of a pipeline that never stops. They wait in a memory of LUTs, and `room`
// falls early enough for everything under way.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct ResultsPlan {
  // Clocks from the beginning of an operation to the arrival of its result; one result a clock.
  std::int64_t clocks = 1;
  std::int64_t depth() const { return clocks <= 22 ? 32 : 64; }
  static constexpr std::int64_t most_clocks = 54;
  // The most results that may wait in the last clock before room falls. One more may arrive in that
  // clock, and one for every operation under way.
  std::int64_t limit() const { return depth() - clocks - 2; }
};

// Beats of results with valid and ready, from registers.
class Results {
 public:
  Results(Scope& s, const ResultsPlan& plan, Net arrives, const UInt& word, Net out_ready,
          Net reset);
  Net valid() const { return valid_; }
  const UInt& word() const { return word_; }
  // Whether an operation may begin in the next clock: the input of the room register, for users
  // that keep a copy of that register.
  Net room_next() const { return room_next_; }

 private:
  Net valid_, room_next_;
  UInt word_;
};

}  // namespace kumiki::gen::pipeline
