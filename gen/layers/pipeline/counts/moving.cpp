// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counts/moving.h"

namespace kumiki::gen::pipeline {

int MovingCounts::next(bool enters, bool out_ready) const {
  return leaving_ - (valid() && out_ready ? 1 : 0) + (moves() && stages_.leaves(enters) ? 1 : 0);
}

std::int64_t MovingCounts::alike(bool enters, bool out_ready) const {
  if (next(enters, out_ready) != leaving_) return 0;
  return moves() ? stages_.alike(enters) : forever;
}

void MovingCounts::clock(bool enters, bool out_ready) {
  const int leaving = next(enters, out_ready);
  if (moves()) stages_.clock(enters);
  leaving_ = leaving;
}

void MovingCounts::skip(std::int64_t clocks, bool enters) {
  if (moves()) stages_.clock(enters, clocks);
}

void MovingCounts::state(std::vector<std::int64_t>& all) const {
  all.push_back(leaving_);
  stages_.state(all);
}

Shown IslandCounts::shown() const {
  return {.ready = moving_.moves() ? 1u : 0u, .valid = moving_.valid()};
}

void IslandCounts::clock(const Given& given) { moving_.clock(enters(given), given.ready); }

std::int64_t IslandCounts::alike(const Given& given) const {
  return moving_.alike(enters(given), given.ready);
}

void IslandCounts::skip(std::int64_t clocks, const Given& given) {
  moving_.skip(clocks, enters(given));
}

Shown StagesCounts::shown() const {
  return {.ready = leaves() ? all_ : all_ & ~held_, .valid = moving_.valid()};
}

std::uint32_t StagesCounts::held_next(const Given& given) const {
  return (leaves() ? 0 : held_) | (given.valid & shown().ready);
}

void StagesCounts::clock(const Given& given) {
  const std::uint32_t held = held_next(given);
  moving_.clock(leaves(), given.ready);
  held_ = held;
}

std::int64_t StagesCounts::alike(const Given& given) const {
  return held_next(given) == held_ ? moving_.alike(leaves(), given.ready) : 0;
}

void StagesCounts::skip(std::int64_t clocks, const Given&) { moving_.skip(clocks, leaves()); }

void StagesCounts::state(std::vector<std::int64_t>& all) const {
  all.push_back(held_);
  moving_.state(all);
}

}  // namespace kumiki::gen::pipeline
