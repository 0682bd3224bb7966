// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/queues.h"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "gen/layers/pipeline/machines/fifo.h"
#include "gen/layers/pipeline/model.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::gen::pipeline {
namespace {

// An input of a box in the plan without queues.
struct Edge {
  std::size_t box, input;
  Stream stream;
  bool is_forked;
};

std::vector<Edge> edges_of(const PipelinePlan& p) {
  std::vector<Edge> all;
  for (std::size_t b = 0; b < p.boxes.size(); ++b) {
    const auto streams = p.boxes[b].machine->inputs();
    for (std::size_t i = 0; i < streams.size(); ++i)
      all.push_back({b, i, streams[i], readers_of(p, p.boxes[b].sources[i]).size() > 1});
  }
  return all;
}

struct Queued {
  PipelinePlan plan;
  std::vector<std::optional<std::size_t>> queue;  // its box, by edge
};

// Depths by edge; 0: none.
Queued queued(const PipelinePlan& p, const std::vector<Edge>& edges,
              const std::vector<std::int64_t>& depths) {
  Queued out{.plan = {.graph = p.graph, .input = p.input, .boxes = {}}, .queue = {}};
  std::vector<std::size_t> moved(p.boxes.size());
  std::size_t e = 0;
  for (std::size_t b = 0; b < p.boxes.size(); ++b) {
    Box box = p.boxes[b];
    for (std::size_t i = 0; i < box.sources.size(); ++i, ++e) {
      std::size_t& source = box.sources[i];
      if (source != Box::from_outside) source = moved[source];
      out.queue.emplace_back();
      if (depths[e] == 0) continue;
      out.queue.back() = out.plan.boxes.size();
      const std::string name =
          box.sources.size() == 1 ? box.name + "_queue" : fmt::format("{}_queue{}", box.name, i);
      out.plan.boxes.push_back(
          {name,
           machine<FifoModel>(FifoPlan{.stream = edges[e].stream, .depth = depths[e]}),
           {source}});
      source = out.plan.boxes.size() - 1;
    }
    moved[b] = out.plan.boxes.size();
    out.plan.boxes.push_back(std::move(box));
  }
  return out;
}

// A run of the models on zeros.
struct Run {
  std::vector<std::int64_t> ends;     // clocks in which frames left
  std::vector<std::int64_t> fullest;  // beats that waited at once, by box
};

// A frame is offered from clock period * frame on.
Run run(const PipelinePlan& p, std::int64_t frames, std::int64_t period) {
  PipelineModel model(p);
  model.counts_only();
  const std::int64_t beats = p.input.beats(), results = p.output().beats();
  PipelineIn<Values> in{.out_ready = true};
  in.in_data.assign(static_cast<std::size_t>(p.input.lanes), 0);
  Run out;
  out.fullest.assign(p.boxes.size(), 0);
  std::vector<std::int64_t> waiting(p.boxes.size(), 0);
  std::int64_t offered = 0, left = 0, last_event = 0;
  // Nothing that a machine does between two beats takes longer than some frames.
  const std::int64_t patience = 4 * (p.interval() + beats) + 100'000;
  for (std::int64_t clock = 0; std::ssize(out.ends) < frames; ++clock) {
    if (clock % 4096 == 0) ir::stop_if_interrupted();
    in.in_valid = offered < frames * beats && clock >= period * (offered / beats);
    const auto shown = model.step(in);
    const bool taken = in.in_valid && shown.in_ready;
    for (std::size_t b = 0; b < p.boxes.size(); ++b) {
      const std::size_t source = p.boxes[b].sources[0];
      const bool comes = source == Box::from_outside ? taken : model.was_taken(source);
      waiting[b] += (comes ? 1 : 0) - (model.was_taken(b) ? 1 : 0);
      out.fullest[b] = std::max(out.fullest[b], waiting[b]);
    }
    if (taken) ++offered;
    if (shown.out_valid && ++left % results == 0) out.ends.push_back(clock);
    if (taken || shown.out_valid) last_event = clock;
    if (clock - last_event > patience)
      throw DesignError(Code::pipeline_stops,
                        fmt::format("the pipeline stops in clock {} of its own model", clock));
  }
  return out;
}

std::int64_t interval_of(const Run& r) { return r.ends.back() - r.ends[r.ends.size() - 2]; }

constexpr std::int64_t frames_seen = 5;

}  // namespace

std::int64_t measured_interval(const PipelinePlan& p) {
  return interval_of(run(p, frames_seen, 0));
}

PipelinePlan with_queues(const PipelinePlan& p) {
  const auto edges = edges_of(p);
  // Where nothing is dropped: no queue holds more than what comes while others catch up.
  std::vector<std::int64_t> depths;
  for (const Edge& e : edges)
    depths.push_back(static_cast<std::int64_t>(std::bit_ceil(
        static_cast<std::uint64_t>(std::max<std::int64_t>(2 * e.stream.beats(), 2)))));
  const Queued roomy = queued(p, edges, depths);
  const Run of_roomy = run(roomy.plan, frames_seen, p.interval());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const std::int64_t fullest = of_roomy.fullest[*roomy.queue[e]];
    // One waits in the register at the output, and in the machine before.
    depths[e] = fullest <= 2 && !edges[e].is_forked
                    ? 0
                    : static_cast<std::int64_t>(std::bit_ceil(
                          static_cast<std::uint64_t>(std::max<std::int64_t>(fullest - 1, 2))));
  }
  for (int turn = 0; turn < 4; ++turn) {
    const PipelinePlan plan = queued(p, edges, depths).plan;
    if (measured_interval(plan) <= p.interval()) return plan;
    for (std::int64_t& d : depths) d = std::max<std::int64_t>(2 * d, 2);
  }
  throw DesignError(
      Code::pipeline_stops,
      fmt::format("no queues that were tried let a frame pass in {} clocks", p.interval()));
}

}  // namespace kumiki::gen::pipeline
