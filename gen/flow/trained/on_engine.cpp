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
#include "gen/layers/engine/ports/image_run.h"
#include "ir/activity.h"
#include "ir/check.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::flow {
namespace {

namespace engine = gen::engine;

// Both ends of an engine for one run of its program.
class Ends {
 public:
  virtual ~Ends() = default;
  virtual void drive(ir::Frame& in) = 0;
  virtual void watch(const ir::Frame& out) = 0;
  virtual bool is_done() const = 0;
  virtual std::int64_t clocks() const = 0;  // up to now
  virtual std::int64_t since() const = 0;   // clocks since something moved
  virtual std::string what_is_wrong() const = 0;
  virtual std::vector<gen::graph::Numbers> results() const = 0;
};

class OfStreams : public Ends {
 public:
  OfStreams(const engine::EnginePlan& plan, engine::Host host)
      : in_(input_shape(plan)), out_(output_shape(plan)), host_(std::move(host)) {}
  void drive(ir::Frame& in) override {
    given_ = host_.drive();
    gen::pack(in_, given_, in);
  }
  void watch(const ir::Frame& out) override {
    engine::EngineOut<gen::Values> seen{};
    gen::unpack(out_, out, seen);
    host_.watch(given_, seen);
  }
  bool is_done() const override { return host_.is_done(); }
  std::int64_t clocks() const override { return host_.clocks(); }
  std::int64_t since() const override { return host_.since(); }
  std::string what_is_wrong() const override {
    return host_.has_wrong_end() ? "out_last is wrong" : "";
  }
  std::vector<gen::graph::Numbers> results() const override { return host_.results(); }

 private:
  engine::EngineIn<gen::Hardware> in_;
  engine::EngineOut<gen::Hardware> out_;
  engine::Host host_;
  engine::EngineIn<gen::Values> given_{};
};

class OfPorts : public Ends {
 public:
  OfPorts(const engine::PortsPlan& plan, const engine::MemoryImage& image,
          std::span<const std::int32_t> numbers)
      : in_(input_shape(plan)),
        out_(output_shape(plan)),
        image_(image),
        run_(plan, image, numbers, engine::MemoryOptions{}) {}
  void drive(ir::Frame& in) override {
    run_.drive(given_);
    gen::pack(in_, given_, in);
  }
  void watch(const ir::Frame& out) override {
    engine::PortsOut<gen::Values> seen{};
    gen::unpack(out_, out, seen);
    const std::int64_t words = run_.memory().words();
    run_.watch(given_, seen);
    since_ = run_.memory().words() == words ? since_ + 1 : 0;
  }
  bool is_done() const override { return run_.is_done() || !run_.memory().broken().empty(); }
  std::int64_t clocks() const override {
    return is_done() ? static_cast<std::int64_t>(run_.host().count(engine::Event::running))
                     : run_.host().clocks();
  }
  std::int64_t since() const override { return since_; }
  std::string what_is_wrong() const override {
    const engine::PortsHost& host = run_.host();
    if (!run_.memory().broken().empty()) return "m_axi, " + run_.memory().broken();
    if (host.was_refused()) return "s_axi refuses an access";
    if (host.has_failed())
      return fmt::format("register status is {:#x} in move {}", host.status(), host.moves_begun());
    return {};
  }
  std::vector<gen::graph::Numbers> results() const override {
    return engine::outputs_of(image_, run_.data());
  }

 private:
  engine::PortsIn<gen::Hardware> in_;
  engine::PortsOut<gen::Hardware> out_;
  const engine::MemoryImage& image_;
  engine::ImageRun run_;
  engine::PortsIn<gen::Values> given_{};
  std::int64_t since_ = 0;
};

// A run on its way: the frames of the top, and the engine's part of them.
class OneRun {
 public:
  OneRun(const ir::PortLayout& top, const gen::BuiltLayer& layer, std::unique_ptr<Ends> ends)
      : layer_(layer), ends_(std::move(ends)), top_in_(top.input_limbs, 0) {}
  const ir::Frame& drive() {
    ends_->drive(own_);
    std::ranges::copy(own_, top_in_.begin() + layer_.first_input_limb);
    return top_in_;
  }
  void watch(const ir::Frame& top_out) {
    const auto first = top_out.begin() + layer_.first_output_limb;
    own_.assign(first, first + layer_.ports.output_limbs);
    ends_->watch(own_);
  }
  const Ends& ends() const { return *ends_; }

 private:
  const gen::BuiltLayer& layer_;
  std::unique_ptr<Ends> ends_;
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
  void step(std::vector<OneRun>& runs) {
    in_.resize(runs.size());
    out_.resize(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) in_[i] = runs[i].drive();
    if (lanes_)
      lanes_->step(in_, out_);
    else
      one_->step(in_[0], out_[0]);
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].watch(out_[i]);
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
  const std::size_t size = images.size() / count,
                    at_once = static_cast<std::size_t>(program.images());
  // The last run has the last image again and again where there are not enough.
  const auto numbers_of = [&](std::size_t first) {
    std::vector<std::int32_t> numbers;
    for (std::size_t i = first; i < first + at_once; ++i) {
      const auto one = images.subspan(std::min(i, count - 1) * size, size);
      numbers.insert(numbers.end(), one.begin(), one.end());
    }
    return numbers;
  };
  for (std::size_t first = 0; first < count;) {
    const auto shared = std::make_shared<engine::SharedBeats>(on.engine.plan, on.engine.program);
    std::vector<OneRun> some;
    for (std::size_t i = first; i < count && some.size() < machines.at_once(); i += at_once) {
      const std::vector<std::int32_t> numbers = numbers_of(i);
      std::unique_ptr<Ends> ends;
      if (on.engine.has_ports)
        ends = std::make_unique<OfPorts>(on.engine.ports(), *on.engine.image, numbers);
      else
        ends = std::make_unique<OfStreams>(on.engine.plan, engine::Host(shared, numbers));
      some.emplace_back(top, network.layers[0], std::move(ends));
    }
    for (auto busy = some.begin(); busy != some.end();) {
      machines.step(some);
      clocks = busy->ends().clocks();
      if (clocks % between_reports == 0) {
        ir::stop_if_interrupted();
        activity.at(fmt::format("{} of {} images, clock {}", first, count, clocks));
      }
      if (busy->ends().since() > on.patience)
        throw DesignError(
            code::engine_stops,
            fmt::format("image {}: nothing moves for {} clocks on {}",
                        first + at_once * static_cast<std::size_t>(busy - some.begin()),
                        on.patience, on.machine));
      busy = std::find_if(busy, some.end(), [](const OneRun& i) { return !i.ends().is_done(); });
    }
    for (const OneRun& run : some) {
      if (const std::string wrong = run.ends().what_is_wrong(); !wrong.empty())
        throw DesignError(code::engine_stops,
                          fmt::format("image {} on {}: {}", first, on.machine, wrong));
      const std::vector<gen::graph::Numbers> results = run.ends().results();
      const std::size_t asked = std::min(at_once, count - first) * program.output_orders.size();
      for (const gen::graph::Numbers& output : std::span(results).first(asked))
        made.insert(made.end(), output.begin(), output.end());
      clocks = run.ends().clocks();
      first += at_once;
    }
  }
  take_outputs({.graph = *program.whole, .machine = on.machine, .threads = on.threads}, images,
               count, made, wanted);
  return clocks / program.images();
}

}  // namespace kumiki::flow
