// SPDX-License-Identifier: Apache-2.0
// Runs frames through a pipeline and follows only valid and ready, clock by clock as its models do.
// In each clock it visits only the machines to which something happens.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

struct FlowRun {
  std::vector<std::int64_t> ends;     // clocks in which the last beats of frames left
  std::vector<std::int64_t> fullest;  // beats that waited at once, for each box
  // After the last frame the state equals that of so many frames before, so it repeats from here
  // on. This proves the pace, and no queue ever gets fuller. 0: no repetition within the run.
  std::size_t turn = 0;
  // The run ended because a part repeats more slowly than asked.
  bool is_too_slow = false;
  // Clocks from frame to frame: the mean of the frames that repeat, rounded up; without a
  // repetition the maximum of the later half.
  std::int64_t interval() const;
};

struct FlowEnd {
  std::size_t frames = std::numeric_limits<std::size_t>::max();  // frames that have left
  std::int64_t clocks = std::numeric_limits<std::int64_t>::max();
  // Ends when a part of the pipeline repeats and takes more clocks for a frame.
  std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
  // Called after each frame: whether the ends so far suffice.
  std::function<bool(const std::vector<std::int64_t>& ends)> is_enough = {};
};

// Offers the beats of a frame evenly over `period` clocks (0: always) and always takes results.
class Flow {
 public:
  Flow(const PipelinePlan& plan, std::int64_t period);
  ~Flow();
  // Goes on from where it ended, until frames repeat or the end is reached. Throws DesignError if
  // nothing happens any more.
  const FlowRun& run(const FlowEnd& end);

 private:
  class Clocks;
  std::unique_ptr<Clocks> clocks_;
};

// A run from the first clock.
FlowRun flow(const PipelinePlan& plan, std::int64_t period, const FlowEnd& end);

}  // namespace kumiki::gen::pipeline
