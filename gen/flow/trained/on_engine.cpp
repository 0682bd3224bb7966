// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/on_engine.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/flow/network.h"
#include "gen/flow/trained/outputs.h"
#include "gen/hdl/model.h"
#include "gen/layers/engine/host.h"
#include "gen/layers/engine/layer.h"
#include "gen/layers/engine/messages.h"
#include "ir/activity.h"
#include "ir/check.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::flow {
namespace {

namespace engine = gen::engine;

// The engine's part of the frames of the top.
class EnginePorts {
 public:
  EnginePorts(const ir::PortLayout& top, const gen::BuiltLayer& layer,
              const engine::EnginePlan& plan)
      : layer_(layer),
        in_(engine::input_shape(plan)),
        out_(engine::output_shape(plan)),
        top_in_(top.input_limbs, 0) {}
  engine::EngineOut<gen::Values> step(ir::Machine& machine,
                                      const engine::EngineIn<gen::Values>& in) {
    gen::pack(in_, in, own_);
    std::ranges::copy(own_, top_in_.begin() + layer_.first_input_limb);
    machine.step(top_in_, top_out_);
    const auto first = top_out_.begin() + layer_.first_output_limb;
    own_.assign(first, first + layer_.ports.output_limbs);
    engine::EngineOut<gen::Values> out;
    gen::unpack(out_, own_, out);
    return out;
  }

 private:
  const gen::BuiltLayer& layer_;
  engine::EngineIn<gen::Hardware> in_;
  engine::EngineOut<gen::Hardware> out_;
  ir::Frame top_in_, top_out_, own_;
};

}  // namespace

std::int64_t compute_on_engine(const OnEngine& on, std::span<const std::int32_t> images,
                               std::size_t count, std::span<TensorNumbers> wanted,
                               Context& context) {
  const engine::EnginePlan& plan = on.engine.plan;
  const engine::Program& program = *on.engine.program;
  gen::Builder builder(on.family, context.limits);
  const std::vector<gen::NamedLayer> layers{
      {"engine", "engine", {}, engine::make_layer(on.engine)}};
  const gen::BuiltNetwork network = gen::build_network(builder, "network", layers);
  ir::require_legal(builder.design());

  ir::Activity activity("running on " + on.machine);
  std::unique_ptr<ir::Machine> machine;
  if (on.machine == "native")
    machine = std::make_unique<backends::NativeMachine>(builder.design());
  else if (on.machine == "model")
    machine = gen::network_model(network);
  else
    machine = std::make_unique<backends::VerilatedMachine>(
        builder.design(), backends::VerilatorOptions{.jobs = on.jobs, .cache = context.cache()});
  machine->power_up();
  EnginePorts ports(ir::layout(builder.design().top()), network.layers[0], plan);

  // An operation takes its words for every four pixels of every tile, and no more than these.
  constexpr std::int64_t patience = 100'000'000, between_reports = 4096;
  std::vector<std::int32_t> made;
  std::int64_t clocks = 0;
  const std::size_t size = images.size() / count;
  for (std::size_t i = 0; i < count; ++i) {
    engine::Host host(plan, engine::stream_of(plan, program, images.subspan(i * size, size)),
                      engine::beats_of_results(plan, program));
    while (!host.is_done()) {
      host.watch(ports.step(*machine, host.drive()));
      if (host.clocks() % between_reports == 0) {
        ir::stop_if_interrupted();
        activity.at(fmt::format("{} of {} images, clock {}", i, count, host.clocks()));
      }
      if (host.since() > patience)
        throw DesignError(
            code::engine_stops,
            fmt::format("image {}: nothing moves for {} clocks on {}", i, patience, on.machine));
    }
    clocks = host.clocks();
    for (const auto& output : engine::results_of(plan, program, host.left()))
      made.insert(made.end(), output.begin(), output.end());
  }
  take_outputs({.graph = *program.graph, .machine = on.machine, .threads = on.threads}, images,
               count, made, wanted);
  return clocks;
}

}  // namespace kumiki::flow
