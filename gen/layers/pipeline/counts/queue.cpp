// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/schedule.h"

namespace kumiki::gen::pipeline {
namespace {

class QueueCounts : public Counts {
 public:
  explicit QueueCounts(const Queue& q) : depth_(q.depth) {}
  Shown shown() const override { return {.ready = waiting_ < depth_ ? 1u : 0u, .valid = valid_}; }
  std::int64_t alike(const Given& given) const override {
    const Next n = next(given);
    if (n.valid != valid_) return 0;
    if (n.waiting > waiting_) return valid_ ? depth_ - 1 - waiting_ : 0;
    if (n.waiting < waiting_) return waiting_ == depth_ ? 0 : waiting_;
    return forever;
  }
  void clock(const Given& given, std::int64_t clocks) override {
    const Next n = next(given);
    waiting_ += clocks * (n.waiting - waiting_);
    valid_ = n.valid;
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

std::unique_ptr<Counts> Queue::counts() const { return std::make_unique<QueueCounts>(*this); }

}  // namespace kumiki::gen::pipeline
