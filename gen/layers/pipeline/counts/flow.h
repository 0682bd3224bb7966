// SPDX-License-Identifier: Apache-2.0
// Frames through a pipeline of which nothing but valid and ready is looked at, clock by clock as
// its models have it, and only those machines in a clock to which something happens.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

struct FlowRun {
  std::vector<std::int64_t> ends;     // clocks in which the last beats of frames left
  std::vector<std::int64_t> fullest;  // beats that waited at once, by box
  // After the last frame all is as it was so many frames before, so it will go on like that: then
  // the pace is proved, and no queue will ever be fuller. 0: not within the frames of the run.
  std::size_t turn = 0;
  // Clocks from frame to frame: of frames that take turns the mean, rounded up; when no turn was
  // found the most of the later half.
  std::int64_t interval() const;
};

struct FlowEnd {
  std::size_t frames = std::numeric_limits<std::size_t>::max();  // that have left
  std::int64_t clocks = std::numeric_limits<std::int64_t>::max();
  // Asked when a frame has left: whether the ends so far say all that somebody wants to know.
  std::function<bool(const std::vector<std::int64_t>& ends)> is_enough = {};
};

// Frame k is offered from clock period * k on, and results are always taken: until frames repeat,
// or the end. Throws DesignError when nothing happens any more.
FlowRun flow(const PipelinePlan& plan, std::int64_t period, const FlowEnd& end);

}  // namespace kumiki::gen::pipeline
