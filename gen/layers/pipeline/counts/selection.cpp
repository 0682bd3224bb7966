// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/layers/pipeline/counts/moving.h"
#include "gen/layers/pipeline/schedule.h"

namespace kumiki::gen::pipeline {
namespace {

class SelectionCounts : public Counts {
 public:
  explicit SelectionCounts(const Selection& s) : s_(s) {}
  Shown shown() const override {
    return {.ready = exit_.moves() ? 1u : 0u, .valid = exit_.valid()};
  }
  std::int64_t alike(const Given& given) const override {
    const bool takes = this->takes(given);
    return std::min(exit_.alike(takes && is_own(), given.ready), takes ? end() - at_ - 1 : forever);
  }
  void clock(const Given& given, std::int64_t clocks) override {
    const bool takes = this->takes(given);
    exit_.clock(takes && is_own(), given.ready, clocks);
    if (takes) at_ = (at_ + clocks) % s_.of;
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.push_back(at_);
    exit_.state(all);
  }

 private:
  bool takes(const Given& given) const { return exit_.moves() && given.valid != 0; }
  bool is_own() const { return at_ >= s_.first && at_ < s_.first + s_.beats; }
  // Of the beats that are all given or all dropped.
  std::int64_t end() const {
    return at_ < s_.first ? s_.first : is_own() ? s_.first + s_.beats : s_.of;
  }
  Selection s_;
  std::int64_t at_ = 0;
  MovingStages exit_{0};
};

}  // namespace

std::unique_ptr<Counts> Selection::counts() const {
  return std::make_unique<SelectionCounts>(*this);
}

}  // namespace kumiki::gen::pipeline
