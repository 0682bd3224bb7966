// SPDX-License-Identifier: Apache-2.0
// A machine's counts, updated only when something happens.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "gen/layers/pipeline/counts/counts.h"

namespace kumiki::gen::pipeline {

class Lazy {
 public:
  explicit Lazy(std::unique_ptr<Counts> counts);
  // Valid in every clock before next().
  const Shown& shown() const { return shown_; }
  // The first clock in which the outputs may change.
  std::int64_t next() const { return next_; }
  // Sets the inputs from `clock` on, which must be before next().
  void give(const Given& given, std::int64_t clock) {
    if (given == given_) return;
    catch_up(clock);
    given_ = given;
    look_ahead();
  }
  // Advances to a clock that is at most next().
  // Only counters move until the last clock before next().
  void catch_up(std::int64_t clock) {
    const std::int64_t clocks = clock - clock_;
    if (clocks == 0) return;
    const bool comes = (given_.valid & shown_.ready & 1) != 0,
               leaves = shown_.valid && given_.ready;
    held_ += clocks * ((comes ? 1 : 0) - (leaves ? 1 : 0));
    fullest_ = std::max(fullest_, held_);
    if (leaves) left_ += clocks;
    const std::int64_t skipped = std::min(clocks, next_ - 1 - clock_);
    if (skipped > 0) counts_->clock(given_, skipped);
    if (skipped < clocks) counts_->clock(given_, 1);
    clock_ = clock;
  }
  // Advances to next(). Returns whether the outputs changed.
  bool wake() {
    catch_up(next_);
    look_ahead();
    return std::exchange(shown_, counts_->shown()) != shown_;
  }
  // Appends the state that decides everything from `clock` on, which is at most next().
  void state(std::int64_t clock, std::vector<std::int64_t>& all);
  // The same state so many clocks later.
  void shift(std::int64_t clocks) {
    clock_ += clocks;
    next_ += clocks;
  }
  std::int64_t left() const { return left_; }  // beats that have left
  std::int64_t held() const { return held_; }
  // The most beats of its first input that it held at once.
  std::int64_t fullest() const { return fullest_; }

 private:
  void look_ahead() { next_ = clock_ + 1 + counts_->alike(given_); }
  std::unique_ptr<Counts> counts_;
  Given given_;
  Shown shown_;
  std::int64_t clock_ = 0, next_ = 0;
  std::int64_t held_ = 0, fullest_ = 0, left_ = 0;
};

}  // namespace kumiki::gen::pipeline
