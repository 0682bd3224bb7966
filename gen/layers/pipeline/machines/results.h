// SPDX-License-Identifier: Apache-2.0
// Results at the end of a pipeline that never stops: they wait in a memory of LUTs, and `room`
// falls early enough for everything that is under way.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct ResultsPlan {
  // From the clock in which something begins to the one in which its result arrives; a result a
  // clock.
  std::int64_t clocks = 1;
  std::int64_t depth() const { return clocks <= 22 ? 32 : 64; }
  static constexpr std::int64_t most_clocks = 54;
  // Results that wait, in the last clock before room falls one clock later. One more may arrive in
  // that clock, and one for every clock that something is under way.
  std::int64_t limit() const { return depth() - clocks - 2; }
};

// Beats of results with valid and ready, out of registers.
class Results {
 public:
  Results(Scope& s, const ResultsPlan& plan, Net arrives, const UInt& word, Net out_ready,
          Net reset);
  Net valid() const { return valid_; }
  const UInt& word() const { return word_; }
  // Whether something may begin: what the register of it takes in, for those who have a register of
  // their own.
  Net room_next() const { return room_next_; }

 private:
  Net valid_, room_next_;
  UInt word_;
};

class ResultsModel {
 public:
  using Beat = std::vector<std::uint64_t>;
  ResultsModel(const ResultsPlan& plan, std::int64_t lanes);
  void reset();
  bool room() const { return room_; }
  bool valid() const { return valid_; }
  const Beat& front() const { return front_; }
  // A clock in which something begins, whose result this will be, or nothing.
  void clock(std::optional<Beat> begins, bool out_ready);

 private:
  ResultsPlan plan_;
  std::size_t lanes_;
  std::deque<std::optional<Beat>> under_way_;
  std::deque<Beat> waiting_;
  bool room_ = true, valid_ = false;
  Beat front_;
};

}  // namespace kumiki::gen::pipeline
