// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/layers/pipeline/counts/moving.h"
#include "gen/layers/pipeline/schedule.h"

namespace kumiki::gen::pipeline {
namespace {

class CutCounts : public Counts {
 public:
  explicit CutCounts(const Parts& p) : p_(p), block_{p.blocks} {}
  Shown shown() const override { return {.ready = takes_in() ? 1u : 0u, .valid = exit_.valid()}; }
  std::int64_t alike(const Given& given) const override {
    if (takes_in() && given.valid != 0) return 0;
    // With its last part it may become ready.
    return std::min(exit_.alike(moves(), given.ready),
                    moves() ? std::max<std::int64_t>(left_ - 2, 0) : forever);
  }
  void clock(const Given& given, std::int64_t clocks) override {
    const bool takes = takes_in() && given.valid != 0, moves = this->moves();
    exit_.clock(moves, given.ready, clocks);
    if (moves) left_ -= clocks;
    if (!takes) return;
    left_ = p_.parts_of(block_.is_last());
    block_.ends();
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {block_.at, left_});
    exit_.state(all);
  }

 private:
  bool moves() const { return left_ > 0 && exit_.moves(); }
  bool takes_in() const { return left_ == 0 || (left_ == 1 && exit_.moves()); }
  Parts p_;
  Cyclic block_;           // of the pixel
  std::int64_t left_ = 0;  // parts of a wide beat
  MovingStages exit_{0};
};

class PutTogetherCounts : public Counts {
 public:
  explicit PutTogetherCounts(const Parts& p) : p_(p), block_{p.blocks} {}
  Shown shown() const override { return {.ready = waits_ ? 0u : 1u, .valid = full_}; }
  std::int64_t alike(const Given& given) const override {
    const bool comes = waits_ || given.valid != 0;
    if (full_) return !given.ready && waits_ == comes ? forever : 0;
    if (waits_) return 0;
    return comes ? p_.parts_of(block_.is_last()) - part_ - 1 : forever;
  }
  void clock(const Given& given, std::int64_t clocks) override {
    waits_ = waits_ || given.valid != 0;
    if (full_ && !given.ready) return;
    full_ = false;
    if (!waits_) return;
    waits_ = false;
    part_ += clocks;
    if (part_ < p_.parts_of(block_.is_last())) return;
    part_ = 0;
    full_ = true;
    block_.ends();
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {block_.at, part_, full_ ? 1 : 0, waits_ ? 1 : 0});
  }

 private:
  Parts p_;
  Cyclic block_;  // of the pixel
  std::int64_t part_ = 0;
  bool full_ = false, waits_ = false;
};

}  // namespace

std::unique_ptr<Counts> Parts::counts() const {
  if (cuts) return std::make_unique<CutCounts>(*this);
  return std::make_unique<PutTogetherCounts>(*this);
}

}  // namespace kumiki::gen::pipeline
