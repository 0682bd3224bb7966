// SPDX-License-Identifier: Apache-2.0
// Words that wait behind a pipeline without enables. What enters the pipeline has room at its exit:
// up to `most` words are under way or wait, so a part stops by not beginning.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/array/plan.h"

namespace kumiki::gen::array {

// A pointer and the one behind it, so that nothing waits for an increment.
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

  // `late`: clocks from the one in which a word is taken to the one in which it is in front.
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

// Whether one more word may begin, from a register: it counts what began two clocks ago and before.
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
