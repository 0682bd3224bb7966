// SPDX-License-Identifier: Apache-2.0
// How full queues get: a run of their counts, which show in every clock what the netlist
// shows, with beats that always come and results that are always taken.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

struct Fill {
  std::int64_t clocks = 0;            // from a reset on
  std::vector<std::int64_t> fullest;  // beats that waited at once, by box; of what is no queue 0
};

Fill measured_fill(const PipelinePlan& plan, std::int64_t clocks);

struct QueueFill {
  std::string name;
  std::int64_t room = 0, fullest = 0;  // beats
};
std::vector<QueueFill> queues_of(const PipelinePlan& plan, const Fill& fill);
void write(config::Writer& w, const QueueFill& queue);

}  // namespace kumiki::gen::pipeline
