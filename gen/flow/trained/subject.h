// SPDX-License-Identifier: Apache-2.0
// The subject of `run`: a network, and the array, pipeline or engine that runs its layers.
#pragma once
#include <optional>
#include <string>

#include "gen/device/device.h"
#include "gen/flow/context.h"
#include "gen/flow/trained/network_source.h"
#include "gen/layer/layer.h"
#include "gen/layers/array/program.h"
#include "gen/layers/array/request.h"
#include "gen/layers/engine/request.h"
#include "gen/layers/pipeline/budget.h"
#include "gen/layers/pipeline/plan.h"
#include "gen/layers/pipeline/request.h"

namespace kumiki::flow {

struct Subject {
  Network network;
  std::optional<gen::array::Program> program;  // with a lowering
  std::optional<gen::pipeline::PipelinePlan> pipeline;
  std::optional<gen::engine::Engine> engine;  // with a program
  std::string layer = "array";                // its name
  bool suggested = false;                     // no configuration specifies the array
  double clock_mhz = 200;
  ir::Family family = ir::Family::ultrascale_plus;
};

// An array for a network, and its program; `file`: the graph file that its configuration would
// name. LimitError: no array runs the network, and why.
struct Suggestion {
  gen::array::Request request;
  gen::array::Program program;
};
Suggestion suggest_array(const gen::graph::Graph& graph, const std::string& file);

// An engine with the fewest places, a power of two from 4,096 on, that suffice for a network.
// LimitError: none runs it, and why.
gen::engine::Request suggest_engine(const gen::graph::Graph& graph, const std::string& file,
                                    std::optional<std::int64_t> batch);

// The network as a complete pipeline; the request comes without its graph. LimitError that names
// the option or the file.
gen::pipeline::PipelinePlan plan_pipeline(const gen::graph::Graph& graph, const std::string& file,
                                          gen::pipeline::Request request,
                                          const gen::config::Target& target = {});
// The pipeline without its queues, whose search may take long; with budgets of LUTs or memories it
// is complete.
gen::pipeline::PipelinePlan fold_pipeline(const gen::graph::Graph& graph, const std::string& file,
                                          gen::pipeline::Request request);
// The fastest pipeline that fits a device by counts, and its pace. LimitError: none does, and what
// is short.
struct FittedPipeline {
  gen::pipeline::PipelinePlan plan;
  std::int64_t clocks = 0;
  ir::Cost cost;
};
FittedPipeline fit_pipeline(const gen::graph::Graph& graph, const std::string& file,
                            gen::pipeline::Request request, const gen::device::Device& device);
// All pipelines of the front, the fastest first.
gen::pipeline::PricedFront front_of(std::shared_ptr<const gen::graph::Graph> graph,
                                    const std::string& file, gen::pipeline::Request request,
                                    const gen::config::Target& target);

// The subject of a layer; empty: it is no array, pipeline or engine of a graph.
std::optional<Subject> subject_of(const gen::NamedLayer& layer, ir::Family family);

// NET.json contains an array, a pipeline or an engine that runs a graph. For a model or a graph
// alone an array is suggested if requested. FileError, ConfigError, LimitError.
Subject load_subject(const std::string& file, bool wants_array, Context& context);

}  // namespace kumiki::flow
