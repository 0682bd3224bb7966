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
  unsigned threads = 0;                        // of the definition; 0: one a processor
  unsigned jobs = 0;                           // compilers at a time; 0: one a processor
  std::size_t hosts = ir::LaneMachine::lanes;  // natively side by side, at most
  bool measures = false;                       // how full queues get
};

// What a run showed of the pace.
struct Pace {
  std::int64_t first = 0;                    // clocks from the first beat to the first result's end
  std::optional<std::int64_t> between = {};  // from frame to frame; nothing with one frame
  std::optional<gen::pipeline::Fill> fill = {};  // in as many clocks as the first host took
};

// Images one behind the other, native 64 of them side by side. DesignError: a result that is not
// that of the definition.
Pace compute_on_pipeline(const OnPipeline& on, std::span<const std::int32_t> images,
                         std::size_t count, std::span<TensorNumbers> wanted,
                         flow::Context& context);

}  // namespace kumiki::flow
