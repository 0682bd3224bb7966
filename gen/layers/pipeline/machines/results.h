// SPDX-License-Identifier: Apache-2.0
// Results at the end of a pipeline that never stops. They wait in a memory of LUTs, and `room`
// falls early enough for everything under way.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

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
