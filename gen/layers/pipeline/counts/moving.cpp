// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counts/moving.h"

#include "gen/layers/pipeline/schedule.h"

namespace kumiki::gen::pipeline {

int MovingStages::next(bool enters, bool out_ready) const {
  return leaving_ - (valid() && out_ready ? 1 : 0) + (moves() && stages_.leaves(enters) ? 1 : 0);
}

std::int64_t MovingStages::alike(bool enters, bool out_ready) const {
  if (next(enters, out_ready) != leaving_) return 0;
  return moves() ? stages_.alike(enters) : forever;
}

void MovingStages::clock(bool enters, bool out_ready, std::int64_t clocks) {
  const int leaving = next(enters, out_ready);
  if (moves()) stages_.clock(enters, clocks);
  leaving_ = leaving;
}

void MovingStages::state(std::vector<std::int64_t>& all) const {
  all.push_back(leaving_);
  stages_.state(all);
}

namespace {

class MovingCounts : public Counts {
 public:
  explicit MovingCounts(const Moving& m)
      : all_((1u << m.inputs) - 1), holds_(m.holds), stages_(m.stages) {}
  Shown shown() const override { return {.ready = ready(), .valid = stages_.valid()}; }
  std::int64_t alike(const Given& given) const override {
    return held_next(given) == held_ ? stages_.alike(enters(given), given.ready) : 0;
  }
  void clock(const Given& given, std::int64_t clocks) override {
    const std::uint32_t held = held_next(given);
    stages_.clock(enters(given), given.ready, clocks);
    held_ = held;
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.push_back(held_);
    stages_.state(all);
  }

 private:
  bool enters(const Given& given) const {
    return stages_.moves() && (holds_ ? held_ == all_ : given.valid != 0);
  }
  std::uint32_t ready() const {
    const bool leaves = stages_.moves() && (!holds_ || held_ == all_);
    return leaves ? all_ : holds_ ? all_ & ~held_ : 0;
  }
  std::uint32_t held_next(const Given& given) const {
    if (!holds_) return 0;
    return (enters(given) ? 0 : held_) | (given.valid & ready());
  }
  std::uint32_t all_, held_ = 0;
  bool holds_;
  MovingStages stages_;
};

}  // namespace

std::unique_ptr<Counts> Moving::counts() const { return std::make_unique<MovingCounts>(*this); }

}  // namespace kumiki::gen::pipeline
