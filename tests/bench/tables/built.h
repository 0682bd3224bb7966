// SPDX-License-Identifier: Apache-2.0
// A network as a pipeline, planned and built, for the tables that count its netlist.
#pragma once
#include <memory>
#include <string>

#include "gen/flow/context.h"
#include "gen/hdl/scope.h"
#include "gen/layers/pipeline/plan.h"
#include "gen/layers/pipeline/request.h"
#include "ir/primitive.h"

namespace kumiki::cli {

struct BuiltPipeline {
  gen::pipeline::PipelinePlan plan;
  std::unique_ptr<gen::Builder> builder;
  ir::Cost total;
  double seconds = 0;  // of planning, building and counting
};
// LimitError: no pipeline, and why. The request comes without its graph.
BuiltPipeline built_pipeline(const gen::graph::Graph& graph, const std::string& name,
                             gen::pipeline::Request request, flow::Context& context,
                             const gen::config::Target& target = {});

}  // namespace kumiki::cli
