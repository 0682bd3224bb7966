// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/layer.h"

#include <algorithm>

#include "gen/graph/picture.h"
#include "gen/hdl/model.h"
#include "gen/layers/common/planning.h"
#include "gen/layers/pipeline/budget.h"
#include "gen/layers/pipeline/build.h"
#include "gen/layers/pipeline/model.h"
#include "gen/layers/pipeline/picture.h"
#include "gen/layers/pipeline/request.h"
#include "gen/layers/pipeline/text.h"

namespace kumiki::gen::pipeline {
namespace {

// A weight of the widest format is 0 or 1 if it has no other bits, and so are those of others.
std::uint64_t lowest_bits_of_weights(const PipelinePlan& plan) {
  int widest = 1;
  for (const WeightStream& w : plan.weights) widest = std::max(widest, w.stream.format.bits);
  std::uint64_t lowest = 0;
  for (std::uint32_t bit = 0; bit < WeightReaderPlan::element_bits;
       bit += static_cast<std::uint32_t>(widest))
    lowest |= std::uint64_t{1} << bit;
  return lowest;
}

class PipelineLayer : public Layer {
 public:
  explicit PipelineLayer(PipelinePlan plan) : plan_(std::move(plan)) {}
  const PipelinePlan& plan() const { return plan_; }
  std::string plan_text() const override { return to_text(plan_); }
  void write_plan(config::Writer& w) const override { write(w, plan_); }
  Facts facts() const override {
    const Stream in = plan_.input(), out = plan_.output();
    return {.macs_per_clock =
                static_cast<double>(plan_.products()) / static_cast<double>(plan_.interval()),
            .slices = plan_.slices(),
            .frame = FrameFacts{plan_.interval(), in.pixels() * in.channels * in.format.bits,
                                out.pixels() * out.channels * out.format.bits},
            .host = host_facts(plan_),
            .registers = registers_of(plan_),
            .levels = plan_.levels()};
  }
  std::vector<Picture> pictures() const override {
    return {{"pipeline", pipeline_svg(plan_)}, {"network", graph::network_svg(*plan_.graph)}};
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, build_pipeline, plan_, input_shape(plan_), origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<PipelineIn, PipelineOut, PipelineModel>>(
        input_shape(plan_), output_shape(plan_), PipelineModel(plan_));
  }
  Definition definition() const override {
    return Definition::none(
        "a frame is thousands of clocks away from its result; lockstep (kumiki sim) and the "
        "definition of the network (kumiki run) speak for it");
  }
  std::vector<std::pair<std::string, std::string>> files() const override {
    if (plan_.weights.empty()) return {};
    const auto image = weight_image(plan_);
    return {{"weights.bin", {image.begin(), image.end()}}};
  }
  std::vector<Beat> beats() const override { return pipeline::beats(plan_); }
  // Reads address the registers, and sometimes a place past them. Weights are 0 and 1: machines are
  // built for sums of the weights that they have.
  void constrain(ir::Frame& frame) const override {
    const auto counters = counters_of(plan_);
    if (!counters && plan_.weights.empty()) return;
    const auto shape = input_shape(plan_);
    PipelineIn<Values> in{};
    unpack(shape, frame, in);
    if (counters) in.araddr[0] %= 4 * static_cast<std::uint64_t>(counters->events + 1);
    for (auto& element : in.m_rdata) element &= lowest_bits_of_weights(plan_);
    pack(shape, in, frame);
  }

 private:
  PipelinePlan plan_;
};

// A convolution, a pool of its maps, and a dense layer on them.
constexpr const char* shapes = R"(graph shapes
tensor image u8 1x4x4 scale 0x1p-3 zero 3
tensor maps u8 2x4x4 scale 0x1p-3 zero 7
tensor small u8 2x2x2 scale 0x1p-3 zero 7
tensor flat u8 8x1x1 scale 0x1p-3 zero 7
tensor classes s8 3x1x1 scale 0x1p-1 zero -4
input image
output classes
conv lines image -> maps kernel 3x3 before 1x1 after 1x1
  scales 0x1p-5 0x1.8p-5
  bias 40 -90
  weights 3 -2 9 7 5 -8 4 1 2 -3 6 2 8 -7 1 4 5 -9
max_pool pool maps -> small kernel 2x2 stride 2x2
reshape flatten small -> flat
conv dense flat -> classes kernel 1x1
  scales 0x1p-7
  bias 1 2 3
  weights 9 -8 7 -6 5 -4 3 -2
  weights 2 3 -4 5 -6 7 -8 9
  weights 1 1 1 1 -1 -1 -1 -1
)";

std::unique_ptr<Layer> made(const Request& request, const config::Target& target) {
  return make_layer(planned(request, limits_of(target), target.family));
}

}  // namespace

std::unique_ptr<Layer> make_layer(PipelinePlan plan) {
  return std::make_unique<PipelineLayer>(std::move(plan));
}

const PipelinePlan* plan_of(const Layer& layer) {
  const auto* pipeline = dynamic_cast<const PipelineLayer*>(&layer);
  return pipeline ? &pipeline->plan() : nullptr;
}

config::LayerType layer_type() {
  return {.name = "dataflow",
          .help = "a trained network as a stream: a machine for every layer",
          .table = &request_table(),
          .plan = plan_with<Request, made>,
          .searches = true,
          .examples =
              {R"({"type": "dataflow", "name": "shapes", "graph": "shapes.graph", "clocks": 144})",
               R"({"type": "dataflow", "name": "shapes", "graph": "shapes.graph", "slices": 8,
                   "input_last": true, "counters": "machines"})"},
          .files = {{"shapes.graph", shapes}}};
}

}  // namespace kumiki::gen::pipeline
