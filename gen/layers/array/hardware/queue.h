// SPDX-License-Identifier: Apache-2.0
// Words that wait after a pipeline without enables. Whatever enters the pipeline has room at its
// exit: up to `most` words are under way or waiting, so a part stops only by not starting.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/array/plan.h"

namespace kumiki::gen::array {

// A pointer and its successor, so that nothing waits for an increment.
struct Pointer {
  Pointer(Scope& s, std::uint32_t width, Net moves, Net rst)
      : at(s, width, {.enable = moves, .reset = rst}),
        behind(s, width, {.init = 1, .enable = moves, .reset = rst}) {}
  void advance(Scope& s) {
    at.next(behind.q());
    behind.next(increment(s, behind.q()));
  }
  Reg<UInt> at, behind;
};

class Queue {
 public:
  static constexpr int most = ArrayPlan::waiting_words;
  // Clocks from a write until the word may be taken.
  static constexpr int latency = ArrayPlan::queue_clocks;

  // `late`: clocks from taking a word until the next is in front.
  Queue(Scope& s, Net write, const UInt& word, Net rst, int late = 0);
  Net there() const { return there_.q(); }      // from a register
  const UInt& front() const { return front_; }  // out of the memory
  void finish(Net taken);

 private:
  static constexpr std::uint32_t digits = 5;
  Scope& s_;
  Reg<Net> there_;
  UInt written_, front_;
  Wire<Net> taken_;
  Wire<UInt> read_;
  Net rst_;
  int late_;
};

// Whether one more word may begin, from a register: it counts only what began at least two clocks
// ago.
class Room {
 public:
  Room(Scope& s, Net rst);
  Net left() const { return left_.q(); }
  void finish(Net begins, Net ends);

 private:
  Scope& s_;
  Reg<UInt> used_;
  Reg<Net> left_;
};

}  // namespace kumiki::gen::array
