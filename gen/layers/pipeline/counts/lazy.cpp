// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counts/lazy.h"

#include <algorithm>
#include <utility>

namespace kumiki::gen::pipeline {

Lazy::Lazy(std::unique_ptr<Counts> counts) : counts_(std::move(counts)), shown_(counts_->shown()) {
  look_ahead();
}

// Only counters move until the last clock before next().
void Lazy::catch_up(std::int64_t clock) {
  const std::int64_t clocks = clock - clock_;
  if (clocks == 0) return;
  const bool comes = (given_.valid & shown_.ready & 1) != 0, leaves = shown_.valid && given_.ready;
  held_ += clocks * ((comes ? 1 : 0) - (leaves ? 1 : 0));
  fullest_ = std::max(fullest_, held_);
  if (leaves) left_ += clocks;
  const std::int64_t skipped = std::min(clocks, next_ - 1 - clock_);
  if (skipped > 0) counts_->clock(given_, skipped);
  if (skipped < clocks) counts_->clock(given_, 1);
  clock_ = clock;
}

void Lazy::give(const Given& given, std::int64_t clock) {
  if (given == given_) return;
  catch_up(clock);
  given_ = given;
  look_ahead();
}

bool Lazy::wake() {
  catch_up(next_);
  look_ahead();
  return std::exchange(shown_, counts_->shown()) != shown_;
}

void Lazy::state(std::int64_t clock, std::vector<std::int64_t>& all) {
  catch_up(clock);
  look_ahead();
  counts_->state(all);
}

}  // namespace kumiki::gen::pipeline
