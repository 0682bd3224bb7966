// SPDX-License-Identifier: Apache-2.0
// How full queues get. Runs the counts, which show in every clock what the netlist shows, while
// beats always come and results are always taken.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

struct Fill {
  std::int64_t clocks = 0;            // since the reset
  std::vector<std::int64_t> fullest;  // beats that waited at once, for each box; 0 if it is no
                                      // queue
};

Fill measured_fill(const PipelinePlan& plan, std::int64_t clocks);

struct QueueFill {
  std::string name;
  std::int64_t room = 0, fullest = 0;  // beats
};
std::vector<QueueFill> queues_of(const PipelinePlan& plan, const Fill& fill);
void write(config::Writer& w, const QueueFill& queue);

}  // namespace kumiki::gen::pipeline
