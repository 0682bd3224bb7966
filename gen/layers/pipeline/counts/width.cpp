// SPDX-License-Identifier: Apache-2.0
// Machines that cut or merge beats.
#include <algorithm>

#include "gen/layers/pipeline/counts/counts.h"
#include "gen/layers/pipeline/machines/width.h"

namespace kumiki::gen::pipeline {
namespace {

// The block of the wide side in the current pixel.
class Blocks {
 public:
  explicit Blocks(const WidthPlan& p)
      : count_((p.cuts() ? p.stream : p.output()).blocks()),
        parts_(p.parts()),
        last_parts_(p.last_parts()) {}
  std::int64_t parts() const { return at_ + 1 == count_ ? last_parts_ : parts_; }
  std::int64_t at() const { return at_; }
  void next() { at_ = at_ + 1 == count_ ? 0 : at_ + 1; }

 private:
  std::int64_t count_, parts_, last_parts_, at_ = 0;
};

class CutCounts : public Counts {
 public:
  explicit CutCounts(const WidthPlan& plan) : blocks_(plan) {}
  Shown shown() const override { return {.ready = takes_in() ? 1u : 0u, .valid = leaving_ > 0}; }
  void clock(const Given& given) override {
    const bool takes = takes_in() && given.valid != 0;
    leaving_ += change(given);
    if (moves_) --word_;
    if (takes) {
      word_ = blocks_.parts();
      blocks_.next();
    }
    moves_ = word_ > 0 && leaving_ < 2;
  }
  std::int64_t alike(const Given& given) const override {
    if ((takes_in() && given.valid != 0) || change(given) != 0) return 0;
    // With its last part it may become ready.
    return moves_ ? std::max<std::int64_t>(word_ - 2, 0) : forever;
  }
  void skip(std::int64_t clocks, const Given&) override {
    if (moves_) word_ -= clocks;
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {blocks_.at(), word_, leaving_});
  }

 private:
  bool takes_in() const { return word_ == 0 || (word_ == 1 && leaving_ < 2); }
  int change(const Given& given) const {
    return (moves_ ? 1 : 0) - (given.ready && leaving_ > 0 ? 1 : 0);
  }
  Blocks blocks_;
  std::int64_t word_ = 0;  // remaining parts of a wide beat
  int leaving_ = 0;
  bool moves_ = false;
};

class PutTogetherCounts : public Counts {
 public:
  explicit PutTogetherCounts(const WidthPlan& plan) : blocks_(plan) {}
  Shown shown() const override { return {.ready = waits_ ? 0u : 1u, .valid = full_}; }
  void clock(const Given& given) override {
    waits_ = waits_ || given.valid != 0;
    if (full_ && !given.ready) return;
    full_ = false;
    if (!waits_) return;
    waits_ = false;
    if (++part_ < blocks_.parts()) return;
    part_ = 0;
    full_ = true;
    blocks_.next();
  }
  std::int64_t alike(const Given& given) const override {
    const bool comes = waits_ || given.valid != 0;
    if (full_) return !given.ready && waits_ == comes ? forever : 0;
    if (waits_) return 0;
    return comes ? blocks_.parts() - part_ - 1 : forever;
  }
  void skip(std::int64_t clocks, const Given& given) override {
    if (!full_ && given.valid != 0) part_ += clocks;
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {blocks_.at(), part_, full_ ? 1 : 0, waits_ ? 1 : 0});
  }

 private:
  Blocks blocks_;
  std::int64_t part_ = 0;
  bool full_ = false, waits_ = false;
};

}  // namespace

std::unique_ptr<Counts> counts_of(const WidthPlan& plan) {
  if (plan.cuts()) return std::make_unique<CutCounts>(plan);
  return std::make_unique<PutTogetherCounts>(plan);
}

}  // namespace kumiki::gen::pipeline
