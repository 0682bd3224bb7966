// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counts/agenda.h"

#include <algorithm>

#include "gen/layers/pipeline/counts/counts.h"

namespace kumiki::gen::pipeline {

void Agenda::restart(std::int64_t clock) {
  std::ranges::fill(next_, never);
  if (in_wheel_ > 0)
    for (auto& members : wheel_) members.clear();
  in_wheel_ = 0;
  far_ = {};
  clock_ = clock;
}

void Agenda::put(std::size_t member, std::int64_t clock) {
  if (next_[member] == clock) return;
  next_[member] = clock;
  if (clock >= forever) return;
  const Entry entry{clock, member};
  if (clock - clock_ >= static_cast<std::int64_t>(near)) {
    far_.push(entry);
    return;
  }
  enter(entry);
}

// Skips entries of members that have been rescheduled since.
void Agenda::take_due() {
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

const std::vector<std::size_t>& Agenda::go_on() {
  do {
    if (in_wheel_ == 0 && far_.empty()) {
      due_.clear();
      return due_;
    }
    clock_ = in_wheel_ == 0 ? far_.top().clock : clock_ + 1;
    for (; !far_.empty() && far_.top().clock - clock_ < static_cast<std::int64_t>(near); far_.pop())
      enter(far_.top());
    take_due();
  } while (due_.empty());
  return due_;
}

}  // namespace kumiki::gen::pipeline
