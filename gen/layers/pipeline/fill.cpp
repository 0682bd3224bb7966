// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/fill.h"

#include <algorithm>

#include "gen/layers/pipeline/model.h"
#include "ir/interrupt.h"

namespace kumiki::gen::pipeline {

Fill measured_fill(const PipelinePlan& p, std::int64_t clocks) {
  PipelineModel model(p);
  PipelineIn<Values> in = no_input(p);
  in.in_valid = in.out_ready = true;
  Fill fill{.clocks = clocks, .fullest = std::vector<std::int64_t>(p.boxes.size())};
  std::vector<std::int64_t> waiting(p.boxes.size());
  for (std::int64_t clock = 0; clock < clocks; ++clock) {
    if (clock % 4096 == 0) ir::stop_if_interrupted();
    const bool enters = model.step(in).in_ready;
    for (std::size_t b = 0; b < p.boxes.size(); ++b) {
      if (p.boxes[b].machine->room() == 0) continue;
      const std::size_t source = p.boxes[b].sources[0];
      const bool comes = source == Box::from_outside ? enters : model.was_taken(source);
      waiting[b] += (comes ? 1 : 0) - (model.was_taken(b) ? 1 : 0);
      fill.fullest[b] = std::max(fill.fullest[b], waiting[b]);
    }
  }
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
