// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/layer.h"

#include <algorithm>
#include <optional>
#include <random>

#include "gen/graph/picture.h"
#include "gen/graph/text.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/engine/host.h"
#include "gen/layers/engine/lower.h"
#include "gen/layers/engine/picture.h"
#include "gen/layers/engine/ports/file.h"
#include "gen/layers/engine/ports/image_run.h"
#include "gen/layers/engine/text.h"
#include "ir/error.h"

namespace kumiki::gen::engine {
namespace {

// Every unit, and a sum.
constexpr const char* units = R"(graph units
tensor image u8 2x4x4 scale 0x1p-3 zero 3
tensor maps u8 6x4x4 scale 0x1p-3 zero 7
tensor each u8 6x4x4 scale 0x1p-3 zero 9
tensor sums u8 6x4x4 scale 0x1.8p-3 zero 5
tensor small u8 6x2x2 scale 0x1.8p-3 zero 5
tensor classes s8 3x1x1 scale 0x1p-1 zero -4
input image
output classes
conv lines image -> maps kernel 3x3 before 1x1 after 1x1
  scales 0x1p-5
  bias 40 -90 5 0 7 -8
  weights 3 -2 9 7 5 -8 4 1 2 -3 6 2 8 -7 1 4 5 -9
  weights 1 2 -3 4 5 6 -7 8 9 -1 2 3 4 -5 6 7 8 9
  weights 9 8 -7 6 5 4 -3 2 1 1 -2 3 4 5 6 -7 8 9
  weights 3 3 3 -3 3 3 3 3 -3 2 2 2 2 -2 2 2 2 2
  weights 5 -4 3 -2 1 0 -1 2 -3 4 -5 6 -7 8 -9 8 -7 6
  weights 1 1 1 1 -9 1 1 1 1 2 -2 2 -2 2 -2 2 -2 2
conv filter maps -> each kernel 3x3 before 1x1 after 1x1 groups 6
  scales 0x1p-4
  bias 1 -2 3 -4 5 -6
  weights 1 2 1 2 4 2 1 2 1
  weights 0 -1 0 -1 5 -1 0 -1 0
  weights 1 0 -1 2 0 -2 1 0 -1
  weights 1 1 1 1 1 1 1 1 1
  weights -1 2 -3 4 -5 6 -7 8 -9
  weights 9 -8 7 -6 5 -4 3 -2 1
add both each maps -> sums
max_pool pool sums -> small kernel 2x2 stride 2x2
conv dense small -> classes kernel 2x2
  scales 0x1p-7
  bias 1 2 3
  weights 9 -8 7 -6 5 -4 3 -2 9 -8 7 -6 5 -4 3 -2 1 2 3 4 5 6 7 8
  weights 2 3 -4 5 -6 7 -8 9 2 3 -4 5 -6 7 -8 9 1 -1 1 -1 1 -1 1 -1
  weights 1 1 1 1 -1 -1 -1 -1 1 1 1 1 -1 -1 -1 -1 3 1 4 1 5 9 2 6
)";

// Random images for the runs of a program.
class Images {
 public:
  explicit Images(const Program& p) : graph_(*p.whole), at_once_(p.images()) {}
  std::vector<std::int32_t> next() {
    std::vector<std::int32_t> numbers;
    for (std::int64_t i = 0; i < at_once_; ++i) add(numbers);
    return numbers;
  }
  std::uint64_t seed() { return random_(); }

 private:
  void add(std::vector<std::int32_t>& numbers) {
    for (const graph::TensorId id : graph::all_inputs(graph_)) {
      const graph::Tensor& t = graph_.tensors[id];
      const auto low = static_cast<std::int32_t>(t.format.range().lo);
      for (std::size_t i = graph::count(t.shape); i > 0; --i)
        numbers.push_back(low + static_cast<std::int32_t>(random_() >> (64 - t.format.bits)));
    }
  }
  const graph::Graph& graph_;
  std::int64_t at_once_;
  std::mt19937_64 random_{1};
};

// A program again and again, with random pauses on both streams. A model says which beats are
// taken.
class FromStreams {
 public:
  FromStreams(const EnginePlan& plan, std::shared_ptr<const Program> program)
      : plan_(plan), program_(std::move(program)), model_(plan), images_(*program_) {}
  void drive(EngineIn<Values>& in) {
    if (!host_ || host_->is_done())
      host_.emplace(std::make_shared<SharedBeats>(plan_, program_), images_.next());
    in = host_->drive(in.in_valid, in.out_ready);
    host_->watch(in, model_.step(in));
  }

 private:
  EnginePlan plan_;
  std::shared_ptr<const Program> program_;
  EngineModel model_;
  Images images_;
  std::optional<Host> host_;
};

// The same from a memory that answers as chance has it.
class FromMemory {
 public:
  FromMemory(const PortsPlan& plan, std::shared_ptr<const MemoryImage> image)
      : plan_(plan), image_(std::move(image)), model_(plan), images_(*image_->of) {}
  void drive(PortsIn<Values>& in) {
    if (!run_ || run_->is_done())
      run_.emplace(plan_, *image_, images_.next(),
                   MemoryOptions{.latency = 5, .more = 60, .pauses = 4, .seed = images_.seed()});
    run_->drive(in);
    run_->watch(in, model_.step(in));
  }

 private:
  PortsPlan plan_;
  std::shared_ptr<const MemoryImage> image_;
  PortsModel model_;
  Images images_;
  std::optional<ImageRun> run_;
};

// Calls the stimulus in every clock with the inputs of a layer's module.
template <template <class> class In, class Stimulus>
Drive driven(const In<Hardware>& shape, Stimulus stimulus) {
  return [shape, stimulus = std::move(stimulus)](std::uint64_t, ir::Frame& frame) mutable {
    In<Values> in;
    unpack(shape, frame, in);
    stimulus.drive(in);
    pack(shape, in, frame);
  };
}

class EngineLayer : public Layer {
 public:
  explicit EngineLayer(Engine engine) : engine_(std::move(engine)) {}
  const Engine& engine() const { return engine_; }
  std::string plan_text() const override { return to_text(engine_); }
  void write_plan(config::Writer& w) const override { write(w, engine_); }
  Facts facts() const override {
    return {.macs_per_clock = static_cast<double>(engine_.plan.core.shape.macs()),
            .slices = engine_.plan.core.slices(),
            .host = host_facts(engine_),
            .registers = host_registers(engine_),
            .levels = engine_.has_ports ? 6 : 5};
  }
  std::vector<Picture> pictures() const override {
    if (!engine_.program) return {};
    const Program& p = *engine_.program;
    const Timeline timeline = timeline_of(engine_.plan, p);
    return {{"timeline", timeline_svg(p, timeline)},
            {"memory", memory_svg(p, timeline)},
            {"clocks", clocks_svg(p, timeline)},
            {"network", graph::network_svg(*p.graph)}};
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    if (engine_.has_ports)
      return build_module(builder, build_ports, engine_.ports(), input_shape(engine_.ports()),
                          origin);
    return build_module(builder, build_engine, engine_.plan, input_shape(engine_.plan), origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    if (engine_.has_ports) {
      const PortsPlan plan = engine_.ports();
      return std::make_unique<Model<PortsIn, PortsOut, PortsModel>>(
          input_shape(plan), output_shape(plan), PortsModel(plan));
    }
    const EnginePlan& plan = engine_.plan;
    return std::make_unique<Model<EngineIn, EngineOut, EngineModel>>(
        input_shape(plan), output_shape(plan), EngineModel(plan));
  }
  Definition definition() const override {
    return Definition::none(
        "an engine does what its stream says, thousands of clocks before a result; lockstep "
        "(kumiki sim) and the definition of the network (kumiki run) speak for it");
  }
  std::vector<std::pair<std::string, std::string>> files() const override {
    if (!engine_.image) return {};
    return {{"network.engine", program_file(engine_.ports(), *engine_.image)}};
  }
  std::vector<gen::Beat> beats() const override { return engine::beats(engine_); }
  Drive drive() const override {
    const auto p = program();
    if (!p) return [](std::uint64_t, ir::Frame& frame) { std::ranges::fill(frame, 0); };
    if (!engine_.has_ports)
      return driven<EngineIn>(input_shape(engine_.plan), FromStreams(engine_.plan, p));
    const PortsPlan plan = engine_.ports();
    auto image = engine_.image;
    if (!image) image = std::make_shared<const MemoryImage>(memory_image(plan, p));
    return driven<PortsIn>(input_shape(plan), FromMemory(plan, std::move(image)));
  }

  std::size_t clocks_of_drive() const override { return 3000; }

 private:
  // Of the network; without one, of an example, or nothing if the engine is too small for it.
  std::shared_ptr<const Program> program() const {
    if (engine_.program) return engine_.program;
    try {
      auto p = std::make_shared<const Program>(
          lower(graph::parse_graph("units.graph", units), engine_.plan.core.shape));
      if (why_not(engine_.plan, *p).empty()) return p;
    } catch (const DesignError&) {
    }
    return nullptr;
  }

  Engine engine_;
};

std::unique_ptr<Layer> made(Request request, const config::Target& target) {
  request.family = target.family;
  return make_layer(planned(request));
}

}  // namespace

std::unique_ptr<Layer> make_layer(Engine engine) {
  return std::make_unique<EngineLayer>(std::move(engine));
}

const Engine* engine_of(const Layer& layer) {
  const auto* engine = dynamic_cast<const EngineLayer*>(&layer);
  return engine ? &engine->engine() : nullptr;
}

config::LayerType layer_type() {
  return {
      .name = "engine",
      .help = "one machine that runs a network layer after layer, from a stream of operations",
      .table = &request_table(),
      .plan = plan_with<Request, made>,
      .searches = true,
      .examples =
          {R"({"type": "engine", "rows": 8, "columns": 4, "places": 256, "ring": 32})",
           R"({"type": "engine", "rows": 8, "columns": 4, "places": 256, "ring": 32, "clocking": "double", "maps": "ultra", "graph": "units.graph"})",
           R"({"type": "engine", "rows": 8, "columns": 4, "places": 256, "ring": 32, "ports": "memory", "normaliser": "lanes", "graph": "units.graph"})"},
      .files = {{"units.graph", units}}};
}

}  // namespace kumiki::gen::engine
