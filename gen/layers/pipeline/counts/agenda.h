// SPDX-License-Identifier: Apache-2.0
// Which member has something to do in which clock. Most entries are a few clocks away.
#pragma once
#include <array>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "gen/layers/pipeline/counts/counts.h"

namespace kumiki::gen::pipeline {

class Agenda {
 public:
  explicit Agenda(std::size_t members) : next_(members, never) {}
  // Forgets everybody; a clock before those that follow.
  void restart(std::int64_t clock);
  // Sets the next clock, later than now, in which a member is due; replaces an earlier entry.
  void put(std::size_t member, std::int64_t clock) {
    if (next_[member] == clock) return;
    next_[member] = clock;
    if (clock >= forever) return;
    if (clock - clock_ >= static_cast<std::int64_t>(near))
      far_.push({clock, member});
    else
      enter({clock, member});
  }
  // Advances to the next clock in which a member is due and returns these members; empty: there are
  // none.
  const std::vector<std::size_t>& go_on() {
    do {
      if (in_wheel_ == 0 && far_.empty()) {
        due_.clear();
        return due_;
      }
      clock_ = in_wheel_ == 0 ? far_.top().clock : clock_ + 1;
      for (; !far_.empty() && far_.top().clock - clock_ < static_cast<std::int64_t>(near);
           far_.pop())
        enter(far_.top());
      take_due();
    } while (due_.empty());
    return due_;
  }
  std::int64_t clock() const { return clock_; }

 private:
  static constexpr std::int64_t never = -1;
  static constexpr std::size_t near = 256;  // clocks
  struct Entry {
    std::int64_t clock;
    std::size_t member;
    bool operator>(const Entry& other) const { return clock > other.clock; }
  };
  void enter(const Entry& e) {
    wheel_[static_cast<std::size_t>(e.clock) % near].push_back(e.member);
    ++in_wheel_;
  }
  // Skips entries of members that have been rescheduled since.
  void take_due() {
    due_.clear();
    auto& here = wheel_[static_cast<std::size_t>(clock_) % near];
    in_wheel_ -= here.size();
    for (const std::size_t member : here)
      if (next_[member] == clock_) {
        due_.push_back(member);
        next_[member] = never;
      }
    here.clear();
  }
  std::vector<std::int64_t> next_;  // of each member
  std::int64_t clock_ = -1;
  std::array<std::vector<std::size_t>, near> wheel_;  // members that are due soon
  std::size_t in_wheel_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> far_;
  std::vector<std::size_t> due_;
};

}  // namespace kumiki::gen::pipeline
