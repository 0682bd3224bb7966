// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/on_engine.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

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

// An image on its way through the engine: the frames of the top, and the engine's part of them.
class OneImage {
 public:
  OneImage(const ir::PortLayout& top, const gen::BuiltLayer& layer, const engine::EnginePlan& plan,
           engine::Host host)
      : layer_(layer),
        in_(input_shape(plan)),
        out_(output_shape(plan)),
        host_(std::move(host)),
        top_in_(top.input_limbs, 0) {}
  const ir::Frame& drive() {
    given_ = host_.drive();
    gen::pack(in_, given_, own_);
    std::ranges::copy(own_, top_in_.begin() + layer_.first_input_limb);
    return top_in_;
  }
  void watch(const ir::Frame& top_out) {
    const auto first = top_out.begin() + layer_.first_output_limb;
    own_.assign(first, first + layer_.ports.output_limbs);
    engine::EngineOut<gen::Values> out{};
    gen::unpack(out_, own_, out);
    host_.watch(given_, out);
  }
  const engine::Host& host() const { return host_; }

 private:
  const gen::BuiltLayer& layer_;
  engine::EngineIn<gen::Hardware> in_;
  engine::EngineOut<gen::Hardware> out_;
  engine::Host host_;
  engine::EngineIn<gen::Values> given_{};
  ir::Frame top_in_, own_;
};

// One machine, or the lanes of the native one.
class Machines {
 public:
  Machines(const OnEngine& on, const ir::Design& design, const gen::BuiltNetwork& network,
           Context& context) {
    if (on.machine == "native") {
      lanes_ = std::make_unique<backends::NativeMachines>(design);
      lanes_->power_up();
      return;
    }
    if (on.machine == "model")
      one_ = gen::network_model(network);
    else
      one_ = std::make_unique<backends::VerilatedMachine>(
          design, backends::VerilatorOptions{.jobs = on.jobs, .cache = context.cache()});
    one_->power_up();
  }
  std::size_t at_once() const { return lanes_ ? ir::LaneMachine::lanes : 1; }
  void step(std::vector<OneImage>& images) {
    in_.resize(images.size());
    out_.resize(images.size());
    for (std::size_t i = 0; i < images.size(); ++i) in_[i] = images[i].drive();
    if (lanes_)
      lanes_->step(in_, out_);
    else
      one_->step(in_[0], out_[0]);
    for (std::size_t i = 0; i < images.size(); ++i) images[i].watch(out_[i]);
  }

 private:
  std::unique_ptr<backends::NativeMachines> lanes_;
  std::unique_ptr<ir::Machine> one_;
  std::vector<ir::Frame> in_, out_;
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
  Machines machines(on, builder.design(), network, context);
  const ir::PortLayout top = ir::layout(builder.design().top());
  constexpr std::int64_t between_reports = 1024;
  std::vector<std::int32_t> made;
  std::int64_t clocks = 0;
  const std::size_t size = images.size() / count;
  for (std::size_t first = 0; first < count;) {
    const auto shared = std::make_shared<engine::SharedBeats>(plan, on.engine.program);
    std::vector<OneImage> some;
    for (std::size_t i = first; i < count && some.size() < machines.at_once(); ++i)
      some.emplace_back(top, network.layers[0], plan,
                        engine::Host(shared, images.subspan(i * size, size)));
    for (auto busy = some.begin(); busy != some.end();) {
      machines.step(some);
      clocks = busy->host().clocks();
      if (clocks % between_reports == 0) {
        ir::stop_if_interrupted();
        activity.at(fmt::format("{} of {} images, clock {}", first, count, clocks));
      }
      if (busy->host().since() > on.patience)
        throw DesignError(code::engine_stops,
                          fmt::format("image {}: nothing moves for {} clocks on {}",
                                      first + static_cast<std::size_t>(busy - some.begin()),
                                      on.patience, on.machine));
      busy = std::find_if(busy, some.end(), [](const OneImage& i) { return !i.host().is_done(); });
    }
    for (const OneImage& image : some) {
      if (image.host().has_wrong_end())
        throw DesignError(code::engine_stops,
                          fmt::format("image {}: out_last is wrong on {}", first, on.machine));
      for (const gen::graph::Numbers& output : image.host().results())
        made.insert(made.end(), output.begin(), output.end());
      ++first;
    }
  }
  take_outputs({.graph = *program.graph, .machine = on.machine, .threads = on.threads}, images,
               count, made, wanted);
  return clocks;
}

}  // namespace kumiki::flow
