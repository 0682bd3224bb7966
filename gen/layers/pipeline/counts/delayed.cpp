// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counts/delayed.h"

#include <algorithm>

#include "gen/layers/pipeline/counts/counts.h"

namespace kumiki::gen::pipeline {

// Runs alternate, so there are at most as many as stages, plus one that enters before another
// leaves.
Delayed::Delayed(std::int64_t stages)
    : stages_(stages), runs_(static_cast<std::size_t>(stages) + 2) {
  runs_[first_] = {.bit = false, .clocks = stages};
}

std::int64_t Delayed::alike(bool enters) const {
  if (stages_ == 0 || (first_ == last_ && runs_[first_].bit == enters)) return forever;
  return runs_[first_].clocks;
}

void Delayed::clock(bool enters, std::int64_t clocks) {
  if (stages_ == 0) return;
  if (runs_[last_].bit == enters) {
    runs_[last_].clocks += clocks;
  } else {
    last_ = (last_ + 1) % runs_.size();
    runs_[last_] = {.bit = enters, .clocks = clocks};
  }
  for (std::int64_t left = clocks; left > 0;) {
    Run& front = runs_[first_];
    const std::int64_t gone = std::min(left, front.clocks);
    front.clocks -= gone;
    left -= gone;
    if (front.clocks == 0) first_ = (first_ + 1) % runs_.size();
  }
}

void Delayed::state(std::vector<std::int64_t>& all) const {
  for (std::size_t at = first_; stages_ > 0; at = (at + 1) % runs_.size()) {
    all.push_back(runs_[at].bit ? runs_[at].clocks : -runs_[at].clocks);
    if (at == last_) break;
  }
}

}  // namespace kumiki::gen::pipeline
