// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/depthwise_pace.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gen/layers/pipeline/counts/counts.h"

namespace kumiki::gen::pipeline {

DepthwiseCounts::DepthwiseCounts(DepthwisePace pace) : pace_(std::move(pace)) { reset(); }

void DepthwiseCounts::reset() {
  ahead_ = -pace_.needed;
  space_ = pace_.room;
  room_ = true;
  written_ = ended_ = false;
  released_ = 0;
  line_ = column_ = block_ = in_frame_ = 0;
  out_line_ = out_column_ = out_block_ = step_ = out_frame_ = 0;
}

bool DepthwiseCounts::is_inside() const {
  return pace_.lines[static_cast<std::size_t>(line_)] &&
         pace_.columns[static_cast<std::size_t>(column_)];
}

// Returns whether this beat completes a position.
bool DepthwiseCounts::load() {
  if (++block_ < pace_.blocks) return false;
  block_ = 0;
  if (++column_ < std::ssize(pace_.columns)) return true;
  column_ = 0;
  if (++line_ < std::ssize(pace_.lines)) return true;
  line_ = 0;
  ++in_frame_;
  return true;
}

void DepthwiseCounts::finish_block() {
  step_ = 0;
  if (++out_block_ < pace_.blocks) return;
  out_block_ = 0;
  ended_ = true;
  released_ = pace_.next_column;
  if (++out_column_ < pace_.out_columns) return;
  out_column_ = 0;
  released_ = pace_.next_line;
  if (++out_line_ < pace_.out_lines) return;
  out_line_ = 0;
  released_ = pace_.next_frame;
  ++out_frame_;
}

void DepthwiseCounts::clock(bool comes, bool computes) {
  const bool loads = this->loads(comes);
  room_ = space_ >= 0;
  space_ += (ended_ ? released_ : 0) - written_;
  ahead_ += written_;
  ended_ = false;
  if (computes && ++step_ == pace_.steps) finish_block();
  if (ended_) ahead_ -= released_;
  written_ = loads && load();
}

std::int64_t DepthwiseCounts::alike(bool comes, bool computes) const {
  // Wait until nothing is on its way from one counter to another.
  if (written_ || ended_ || room_ != (space_ >= 0)) return 0;
  std::int64_t clocks = forever;
  if (loads(comes)) clocks = std::min(clocks, pace_.blocks - block_ - 1);
  if (computes) clocks = std::min(clocks, pace_.steps - step_ - 1);
  return clocks;
}

void DepthwiseCounts::skip(std::int64_t clocks, bool comes, bool computes) {
  if (loads(comes)) block_ += clocks;
  if (computes) step_ += clocks;
}

void DepthwiseCounts::state(std::vector<std::int64_t>& all) const {
  all.insert(all.end(),
             {ahead_, space_, room_ ? 1 : 0, written_ ? 1 : 0, ended_ ? 1 : 0, released_, line_,
              column_, block_, out_line_, out_column_, out_block_, step_, in_frame_ - out_frame_});
}

namespace {

constexpr std::size_t most_in_turn = 16, most_frames = 1000;

// With a small ring, frames may alternate: returns the mean of those that repeat, rounded up; 0:
// none repeat.
std::int64_t repeated(const std::vector<std::int64_t>& ends) {
  const auto took = [&](std::size_t back) {
    return ends[ends.size() - 1 - back] - ends[ends.size() - 2 - back];
  };
  for (std::size_t turn = 1; turn <= most_in_turn && 3 * turn + 2 <= ends.size(); ++turn) {
    bool is_alike = true;
    for (std::size_t back = 0; back < 2 * turn; ++back)
      is_alike = is_alike && took(back) == took(back + turn);
    const auto frames = static_cast<std::int64_t>(turn);
    if (is_alike) return (ends.back() - ends[ends.size() - 1 - turn] + frames - 1) / frames;
  }
  return 0;
}

}  // namespace

std::int64_t interval_of(const DepthwisePace& pace) {
  DepthwiseCounts counts(pace);
  std::vector<std::int64_t> ends{0};
  for (std::int64_t clock = 0; ends.size() < most_frames;) {
    const bool computes = counts.computes(true);
    const std::int64_t skipped = counts.alike(true, computes);
    if (skipped == forever) throw std::logic_error("a ring that is too small for a window");
    counts.skip(skipped, true, computes);
    clock += skipped;
    counts.clock(true, counts.computes(true));
    ++clock;
    if (counts.out_frame() == std::ssize(ends) - 1) continue;
    ends.push_back(clock);
    if (const std::int64_t clocks = repeated(ends); clocks > 0) return clocks;
  }
  throw std::logic_error("frames that never repeat");
}

}  // namespace kumiki::gen::pipeline
