// SPDX-License-Identifier: Apache-2.0
// The turns of a machine that concatenates streams.
#include "gen/layers/pipeline/counts/counts.h"
#include "gen/operators/concat/machine.h"

namespace kumiki::gen::pipeline {
namespace {

class ConcatCounts : public Counts {
 public:
  explicit ConcatCounts(const ConcatPlan& plan) {
    for (std::size_t i = 0; i < plan.streams.size(); ++i) blocks_.push_back(plan.beats_of(i));
  }
  Shown shown() const override {
    return {.ready = leaving_ < 2 ? 1u << turn_ : 0u, .valid = leaving_ > 0};
  }
  void clock(const Given& given) override {
    const bool takes = this->takes(given);
    leaving_ += change(given);
    if (!takes || ++block_ < blocks_[turn_]) return;
    block_ = 0;
    turn_ = (turn_ + 1) % blocks_.size();
  }
  std::int64_t alike(const Given& given) const override {
    if (change(given) != 0) return 0;
    return takes(given) ? blocks_[turn_] - block_ - 1 : forever;
  }
  void skip(std::int64_t clocks, const Given& given) override {
    if (takes(given)) block_ += clocks;
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {static_cast<std::int64_t>(turn_), block_, leaving_});
  }

 private:
  bool takes(const Given& given) const { return leaving_ < 2 && (given.valid >> turn_ & 1) != 0; }
  int change(const Given& given) const {
    return (takes(given) ? 1 : 0) - (given.ready && leaving_ > 0 ? 1 : 0);
  }
  std::vector<std::int64_t> blocks_;  // for each input
  std::size_t turn_ = 0;
  std::int64_t block_ = 0;
  int leaving_ = 0;
};

}  // namespace

std::unique_ptr<Counts> counts_of(const ConcatPlan& plan) {
  return std::make_unique<ConcatCounts>(plan);
}

}  // namespace kumiki::gen::pipeline
