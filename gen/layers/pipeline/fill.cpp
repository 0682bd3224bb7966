// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/fill.h"

#include "gen/layers/pipeline/counts/flow.h"

namespace kumiki::gen::pipeline {

Fill measured_fill(const PipelinePlan& p, std::int64_t clocks) {
  Fill fill{.clocks = clocks, .fullest = flow(p, 0, {.clocks = clocks}).fullest};
  for (std::size_t b = 0; b < p.boxes.size(); ++b)
    if (p.boxes[b].machine->room() == 0) fill.fullest[b] = 0;
  return fill;
}

std::vector<QueueFill> queues_of(const PipelinePlan& p, const Fill& fill) {
  std::vector<QueueFill> all;
  for (std::size_t b = 0; b < p.boxes.size(); ++b)
    if (const auto room = p.boxes[b].machine->room(); room > 0)
      all.push_back({p.boxes[b].name, room, fill.fullest[b]});
  return all;
}

void write(config::Writer& w, const QueueFill& queue) {
  w.member("name", queue.name);
  w.member("room", queue.room);
  w.member("fullest", queue.fullest);
}

}  // namespace kumiki::gen::pipeline
