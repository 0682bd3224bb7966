// SPDX-License-Identifier: Apache-2.0
// Machines that walk over the pixels of a map and take results from a pipeline that never stops.
#include <algorithm>

#include "gen/layers/pipeline/counts/counts.h"
#include "gen/layers/pipeline/counts/results.h"
#include "gen/operators/conv/depthwise.h"
#include "gen/operators/global_average/machine.h"
#include "gen/operators/max_pool/machine.h"

namespace kumiki::gen::pipeline {
namespace {

class MaxPoolCounts : public Counts {
 public:
  explicit MaxPoolCounts(const MaxPoolPlan& p)
      : lines_(p.lines()),
        columns_(p.columns()),
        blocks_(p.stream.blocks()),
        results_(p.results()) {}
  Shown shown() const override {
    return {.ready = results_.room() && takes() ? 1u : 0u, .valid = results_.valid()};
  }
  void clock(const Given& given) override {
    const bool moves = this->moves(given);
    results_.clock(moves && completes(), given.ready);
    if (!moves || ++block_ < blocks_) return;
    block_ = 0;
    if (++column_ < columns_.positions()) return;
    column_ = 0;
    if (++line_ == lines_.positions()) line_ = 0;
  }
  std::int64_t alike(const Given& given) const override {
    const bool moves = this->moves(given);
    return std::min(results_.alike(moves && completes(), given.ready),
                    moves ? blocks_ - block_ - 1 : forever);
  }
  void skip(std::int64_t clocks, const Given& given) override {
    const bool moves = this->moves(given);
    results_.skip(clocks, moves && completes());
    if (moves) block_ += clocks;
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {line_, column_, block_});
    results_.state(all);
  }

 private:
  bool takes() const { return line_ < lines_.length && column_ < columns_.length; }
  bool moves(const Given& given) const { return results_.room() && (!takes() || given.valid != 0); }
  bool completes() const {
    return lines_.completes[static_cast<std::size_t>(line_)] &&
           columns_.completes[static_cast<std::size_t>(column_)];
  }
  PoolAxis lines_, columns_;
  std::int64_t blocks_;
  ResultsCounts results_;
  std::int64_t line_ = 0, column_ = 0, block_ = 0;
};

class AverageCounts : public Counts {
 public:
  explicit AverageCounts(const AveragePlan& p)
      : blocks_(p.stream.blocks()), pixels_(p.stream.pixels()), results_(p.results()) {}
  Shown shown() const override {
    return {.ready = results_.room() ? 1u : 0u, .valid = results_.valid()};
  }
  void clock(const Given& given) override {
    const bool takes = this->takes(given);
    results_.clock(takes && is_last(), given.ready);
    if (!takes || ++block_ < blocks_) return;
    block_ = 0;
    pixel_ = is_last() ? 0 : pixel_ + 1;
  }
  std::int64_t alike(const Given& given) const override {
    const bool takes = this->takes(given);
    return std::min(results_.alike(takes && is_last(), given.ready),
                    takes ? blocks_ - block_ - 1 : forever);
  }
  void skip(std::int64_t clocks, const Given& given) override {
    const bool takes = this->takes(given);
    results_.skip(clocks, takes && is_last());
    if (takes) block_ += clocks;
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {pixel_, block_});
    results_.state(all);
  }

 private:
  bool takes(const Given& given) const { return results_.room() && given.valid != 0; }
  bool is_last() const { return pixel_ + 1 == pixels_; }
  std::int64_t blocks_, pixels_;
  ResultsCounts results_;
  std::int64_t pixel_ = 0, block_ = 0;
};

class DepthwiseMachineCounts : public Counts {
 public:
  explicit DepthwiseMachineCounts(const DepthwisePlan& p)
      : counts_(p.pace()), results_(p.results()) {}
  Shown shown() const override {
    return {.ready = counts_.ready() ? 1u : 0u, .valid = results_.valid()};
  }
  void clock(const Given& given) override {
    const bool computes = counts_.computes(results_.room());
    results_.clock(computes && counts_.is_last_step(), given.ready);
    counts_.clock(given.valid != 0, computes);
  }
  std::int64_t alike(const Given& given) const override {
    return std::min(results_.alike(false, given.ready),
                    counts_.alike(given.valid != 0, counts_.computes(results_.room())));
  }
  void skip(std::int64_t clocks, const Given& given) override {
    counts_.skip(clocks, given.valid != 0, counts_.computes(results_.room()));
    results_.skip(clocks, false);
  }
  void state(std::vector<std::int64_t>& all) const override {
    counts_.state(all);
    results_.state(all);
  }

 private:
  DepthwiseCounts counts_;
  ResultsCounts results_;
};

}  // namespace

std::unique_ptr<Counts> counts_of(const MaxPoolPlan& plan) {
  return std::make_unique<MaxPoolCounts>(plan);
}

std::unique_ptr<Counts> counts_of(const AveragePlan& plan) {
  return std::make_unique<AverageCounts>(plan);
}

std::unique_ptr<Counts> counts_of(const DepthwisePlan& plan) {
  return std::make_unique<DepthwiseMachineCounts>(plan);
}

}  // namespace kumiki::gen::pipeline
