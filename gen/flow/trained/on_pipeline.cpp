// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/on_pipeline.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/flow/network.h"
#include "gen/flow/trained/outputs.h"
#include "gen/layers/pipeline/counts/flow.h"
#include "gen/layers/pipeline/host.h"
#include "gen/layers/pipeline/layer.h"
#include "ir/activity.h"
#include "ir/check.h"

namespace kumiki::flow {
namespace {

using namespace gen::pipeline;
using gen::graph::Graph;

// The most images that a host sends before its results are checked, and the fewest if there are as
// many: the last of them come in the pace of the pipeline.
constexpr std::size_t most_frames = 16, least_frames = 3;

}  // namespace

Pace compute_on_pipeline(const OnPipeline& on, std::span<const std::int32_t> images,
                         std::size_t count, std::span<TensorNumbers> wanted, Context& context) {
  const Graph& g = *on.plan.graph;
  const std::size_t size = images.size() / count;
  gen::Builder builder(on.family, context.limits);
  const std::vector<gen::NamedLayer> layers{{"pipeline", "dataflow", {}, make_layer(on.plan)}};
  const gen::BuiltNetwork network = gen::build_network(builder, "network", layers);
  ir::require_legal(builder.design());

  ir::Activity activity("running on " + on.machine);
  std::unique_ptr<ir::LaneMachine> lanes;
  std::unique_ptr<ir::Machine> one;
  if (on.machine == "native")
    lanes = std::make_unique<backends::NativeLanes>(builder.design());
  else if (on.machine == "model")
    one = gen::network_model(network);
  else
    one = std::make_unique<backends::VerilatedMachine>(
        builder.design(), backends::VerilatorOptions{.jobs = on.jobs, .cache = context.cache()});
  const std::size_t side_by_side = lanes ? on.hosts : 1;

  const WeightImage weights = shared_weights(on.plan);
  // In a deep network many frames are under way when the first one leaves.
  const std::int64_t first_frame = gen::pipeline::flow(on.plan, 0, {.frames = 1}).ends[0];
  Pace pace;
  std::vector<std::int32_t> made;
  for (std::size_t first = 0; first < count;) {
    const std::size_t left = count - first;
    const std::size_t frames = std::clamp((left + side_by_side - 1) / side_by_side,
                                          std::min(left, least_frames), most_frames);
    std::vector<Host> hosts;
    for (std::size_t at = 0; at < left && hosts.size() < side_by_side; at += frames)
      hosts.emplace_back(on.plan,
                         images.subspan((first + at) * size, std::min(frames, left - at) * size),
                         gen::pipeline::Stalls{}, weights);
    const Play how{.prefix = "pipeline_",
                   .patience = 2 * (first_frame + on.plan.interval()) + 10'000,
                   .progress = [&](std::int64_t clocks) {
                     activity.at(fmt::format("{} of {} images, clock {}", first, count, clocks));
                   }};
    if (lanes)
      play(hosts, on.plan, *lanes, how);
    else
      play(hosts[0], on.plan, *one, ir::layout(builder.design().top()), how);
    for (const Host& host : hosts)
      for (const auto& result : host.results())
        made.insert(made.end(), result.begin(), result.end());
    const auto& ends = hosts[0].left();
    pace.first = ends[0];
    if (ends.size() > 1) pace.between = ends.back() - ends[ends.size() - 2];
    if (on.measures && !pace.fill) pace.fill = measured_fill(on.plan, hosts[0].clocks());
    first = made.size() / hosts[0].results()[0].size();
  }

  take_outputs({.graph = g, .machine = on.machine, .threads = on.threads}, images, count, made,
               wanted);
  return pace;
}

}  // namespace kumiki::flow
