// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "gen/layers/pipeline/counts/moving.h"
#include "gen/layers/pipeline/schedule.h"

namespace kumiki::gen::pipeline {
namespace {

class TurnsCounts : public Counts {
 public:
  explicit TurnsCounts(const Turns& t) : beats_(t.beats) {}
  Shown shown() const override {
    return {.ready = exit_.moves() ? 1u << turn_ : 0u, .valid = exit_.valid()};
  }
  std::int64_t alike(const Given& given) const override {
    const bool takes = this->takes(given);
    return std::min(exit_.alike(takes, given.ready), takes ? beats_[turn_] - beat_ - 1 : forever);
  }
  void clock(const Given& given, std::int64_t clocks) override {
    const bool takes = this->takes(given);
    exit_.clock(takes, given.ready, clocks);
    if (takes) beat_ += clocks;
    if (beat_ < beats_[turn_]) return;
    beat_ = 0;
    turn_ = (turn_ + 1) % beats_.size();
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {static_cast<std::int64_t>(turn_), beat_});
    exit_.state(all);
  }

 private:
  bool takes(const Given& given) const { return exit_.moves() && (given.valid >> turn_ & 1) != 0; }
  std::vector<std::int64_t> beats_;
  std::size_t turn_ = 0;
  std::int64_t beat_ = 0;
  MovingStages exit_{0};
};

}  // namespace

std::int64_t Turns::in_round() const {
  return std::accumulate(beats.begin(), beats.end(), std::int64_t{0});
}

std::unique_ptr<Counts> Turns::counts() const { return std::make_unique<TurnsCounts>(*this); }

}  // namespace kumiki::gen::pipeline
