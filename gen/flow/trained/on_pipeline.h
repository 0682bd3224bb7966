// SPDX-License-Identifier: Apache-2.0
// Images through a network on the netlist of a pipeline, or on its model.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gen/flow/context.h"
#include "gen/flow/trained/results.h"
#include "gen/layers/pipeline/fill.h"
#include "gen/layers/pipeline/plan.h"
#include "ir/lane_machine.h"

namespace kumiki::flow {

struct OnPipeline {
  const gen::pipeline::PipelinePlan& plan;
  std::string machine;  // model, native or verilator
  ir::Family family = ir::Family::ultrascale_plus;
  unsigned threads = 0;                        // of the definition; 0: one for each processor
  unsigned jobs = 0;                           // concurrent compilers; 0: one for each processor
  std::size_t hosts = ir::LaneMachine::lanes;  // the most that run side by side natively
  bool measures = false;                       // measure how full queues get
};

// The measured pace of a run.
struct Pace {
  std::int64_t first = 0;                    // clocks from the first beat to the end of the first
                                             // result
  std::optional<std::int64_t> between = {};  // clocks from frame to frame; empty with a single
                                             // frame
  std::optional<gen::pipeline::Fill> fill = {};  // over as many clocks as the first host took
};

// Runs images in sequence; natively up to 64 run side by side. DesignError: a result differs from
// the definition.
Pace compute_on_pipeline(const OnPipeline& on, std::span<const std::int32_t> images,
                         std::size_t count, std::span<TensorNumbers> wanted,
                         flow::Context& context);

}  // namespace kumiki::flow
