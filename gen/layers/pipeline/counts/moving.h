// SPDX-License-Identifier: Apache-2.0
// Machines whose stages all move or stand still together (machines/exits.h).
#pragma once
#include <cstdint>

#include "gen/layers/pipeline/counts/counts.h"
#include "gen/layers/pipeline/counts/delayed.h"

namespace kumiki::gen::pipeline {

// The stages and the exit behind them.
class MovingCounts {
 public:
  explicit MovingCounts(int stages) : stages_(stages) {}
  bool moves() const { return leaving_ < 2; }
  bool valid() const { return leaving_ > 0; }
  // `enters` only if the stages move.
  std::int64_t alike(bool enters, bool out_ready) const;
  void clock(bool enters, bool out_ready);
  void skip(std::int64_t clocks, bool enters);
  void state(std::vector<std::int64_t>& all) const;

 private:
  int next(bool enters, bool out_ready) const;
  Delayed stages_;
  int leaving_ = 0;
};

// Island: one input without a register of its own.
class IslandCounts : public Counts {
 public:
  explicit IslandCounts(int stages) : moving_(stages) {}
  Shown shown() const override;
  void clock(const Given& given) override;
  std::int64_t alike(const Given& given) const override;
  void skip(std::int64_t clocks, const Given& given) override;
  void state(std::vector<std::int64_t>& all) const override { moving_.state(all); }

 private:
  bool enters(const Given& given) const { return given.valid != 0 && moving_.moves(); }
  MovingCounts moving_;
};

// Stages: beats of several inputs wait for each other.
class StagesCounts : public Counts {
 public:
  StagesCounts(std::size_t inputs, int stages) : all_((1u << inputs) - 1), moving_(stages) {}
  Shown shown() const override;
  void clock(const Given& given) override;
  std::int64_t alike(const Given& given) const override;
  void skip(std::int64_t clocks, const Given& given) override;
  void state(std::vector<std::int64_t>& all) const override;

 private:
  bool leaves() const { return held_ == all_ && moving_.moves(); }
  std::uint32_t held_next(const Given& given) const;
  std::uint32_t all_, held_ = 0;
  MovingCounts moving_;
};

}  // namespace kumiki::gen::pipeline
