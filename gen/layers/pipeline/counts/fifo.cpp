// SPDX-License-Identifier: Apache-2.0
// Beats in a queue: some in its memory and one at its output.
#include <algorithm>

#include "gen/layers/pipeline/counts/counts.h"
#include "gen/layers/pipeline/machines/fifo.h"

namespace kumiki::gen::pipeline {
namespace {

class FifoCounts : public Counts {
 public:
  explicit FifoCounts(const FifoPlan& plan) : depth_(plan.depth) {}
  Shown shown() const override { return {.ready = waiting_ < depth_ ? 1u : 0u, .valid = valid_}; }
  void clock(const Given& given) override {
    const Next n = next(given);
    waiting_ = n.waiting;
    valid_ = n.valid;
  }
  std::int64_t alike(const Given& given) const override {
    const Next n = next(given);
    if (n.valid != valid_) return 0;
    if (n.waiting > waiting_) return valid_ ? depth_ - 1 - waiting_ : 0;
    if (n.waiting < waiting_) return waiting_ == depth_ ? 0 : waiting_;
    return forever;
  }
  void skip(std::int64_t clocks, const Given& given) override {
    waiting_ += clocks * (next(given).waiting - waiting_);
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {waiting_, valid_ ? 1 : 0});
  }

 private:
  struct Next {
    std::int64_t waiting;
    bool valid;
  };
  Next next(const Given& given) const {
    Next n{.waiting = waiting_, .valid = valid_};
    if (given.valid != 0 && waiting_ < depth_) ++n.waiting;
    if (!valid_ || given.ready) {
      n.valid = waiting_ > 0;
      if (n.valid) --n.waiting;
    }
    return n;
  }
  std::int64_t depth_, waiting_ = 0;
  bool valid_ = false;
};

}  // namespace

std::unique_ptr<Counts> counts_of(const FifoPlan& plan) {
  return std::make_unique<FifoCounts>(plan);
}

}  // namespace kumiki::gen::pipeline
