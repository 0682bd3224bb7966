// SPDX-License-Identifier: Apache-2.0
// Results at the end of a pipeline that never stops (machines/results.h).
#pragma once
#include <cstdint>

#include "gen/layers/pipeline/counts/delayed.h"
#include "gen/layers/pipeline/schedule.h"

namespace kumiki::gen::pipeline {

class ResultsCounts {
 public:
  explicit ResultsCounts(const ResultsPlan& plan) : plan_(plan), under_way_(plan.clocks) {}
  bool room() const { return room_; }
  bool valid() const { return valid_; }
  std::int64_t alike(bool begins, bool out_ready) const;
  void clock(bool begins, bool out_ready, std::int64_t clocks);
  void state(std::vector<std::int64_t>& all) const;

 private:
  struct Next {
    bool room, valid;
    std::int64_t waiting;
  };
  Next next(bool out_ready) const;
  ResultsPlan plan_;
  Delayed under_way_;
  bool room_ = true, valid_ = false;
  std::int64_t waiting_ = 0;
};

}  // namespace kumiki::gen::pipeline
