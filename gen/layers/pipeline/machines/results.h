// SPDX-License-Identifier: Apache-2.0
// Results at the end of a pipeline that never stops. They wait in a memory of LUTs, and `room`
// falls early enough for everything under way.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
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

class ResultsModel {
 public:
  using Beat = std::vector<std::uint64_t>;
  ResultsModel(const ResultsPlan& plan, std::int64_t lanes);
  void reset();
  bool room() const { return room_; }
  bool valid() const { return valid_; }
  const Beat& front() const { return front_; }
  // `begins`: the result of the operation that begins in this clock, if any.
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
