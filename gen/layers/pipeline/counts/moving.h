// SPDX-License-Identifier: Apache-2.0
// Stages that all move or all stand still, and the two beats behind them (machines/exits.h).
#pragma once
#include <cstdint>

#include "gen/layers/pipeline/counts/delayed.h"

namespace kumiki::gen::pipeline {

class MovingStages {
 public:
  explicit MovingStages(int stages) : stages_(stages) {}
  bool moves() const { return leaving_ < 2; }
  bool valid() const { return leaving_ > 0; }
  // `enters` only if the stages move.
  std::int64_t alike(bool enters, bool out_ready) const;
  void clock(bool enters, bool out_ready, std::int64_t clocks);
  void state(std::vector<std::int64_t>& all) const;

 private:
  int next(bool enters, bool out_ready) const;
  Delayed stages_;
  int leaving_ = 0;
};

}  // namespace kumiki::gen::pipeline
