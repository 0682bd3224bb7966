// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/layer.h"

#include <fmt/format.h>

#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/common/planning.h"
#include "gen/layers/vision/build.h"
#include "gen/layers/vision/definition.h"
#include "gen/layers/vision/model.h"
#include "gen/layers/vision/report.h"
#include "gen/layers/vision/source.h"
#include "gen/layers/vision/stages.h"

namespace kumiki::gen::vision {
namespace {

class VisionLayer : public Layer {
 public:
  explicit VisionLayer(Pipeline pipeline, std::optional<Request> request = {},
                       packing::Limits limits = {})
      : pipeline_(std::move(pipeline)),
        request_(std::move(request)),
        limits_(limits),
        in_(input_shape(pipeline_)),
        out_(output_shape(pipeline_)) {}

  const Pipeline& pipeline() const { return pipeline_; }
  std::string plan_text() const override { return to_text(pipeline_); }
  void write_plan(config::Writer& w) const override { write(w, pipeline_); }
  Facts facts() const override {
    return {.latency = pipeline_.latency(),
            .macs_per_clock = static_cast<double>(pipeline_.macs()),
            .slices = pipeline_.slices(),
            .levels = 3};
  }
  std::vector<Picture> pictures() const override { return vision::pictures(pipeline_); }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, build_pipeline, pipeline_, in_, origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<VideoIn, VideoOut, PipelineModel>>(in_, out_,
                                                                     PipelineModel(pipeline_));
  }
  Definition definition() const override {
    if (!request_) return Layer::definition();
    if (const auto bits = frame_bits(pipeline_); bits > most_frame_bits)
      return Definition::none(
          fmt::format("the definition keeps a frame whole, of at most {} bits, this one has {}: "
                      "the same stages with a smaller width and height can be proved",
                      most_frame_bits, bits));
    return reference(*request_, pipeline_, limits_);
  }
  std::vector<Beat> beats() const override { return vision::beats(pipeline_); }
  Drive drive() const override {
    return [in = in_, source = VideoSource(pipeline_, {})](std::uint64_t cycle,
                                                           ir::Frame& frame) mutable {
      VideoIn<Values> values;
      unpack(in, frame, values);
      source.drive(cycle, values);
      pack(in, values, frame);
    };
  }

 private:
  Pipeline pipeline_;
  std::optional<Request> request_;
  packing::Limits limits_;
  VideoIn<Hardware> in_;
  VideoOut<Hardware> out_;
};

}  // namespace

std::unique_ptr<Layer> make_layer(const Request& request, const config::Target& target) {
  const auto limits = limits_of(target);
  try {
    return std::make_unique<VisionLayer>(make_pipeline(request, limits), request, limits);
  } catch (const StageError& e) {
    throw config::Refusal(fmt::format("stages/{}/{}", e.stage, e.diagnostic().key), e);
  } catch (const DesignError& e) {
    throw config::Refusal("stages", e);
  }
}

std::unique_ptr<Layer> make_layer(const Pipeline& pipeline) {
  return std::make_unique<VisionLayer>(pipeline);
}

const Pipeline* pipeline_of(const Layer& layer) {
  const auto* vision = dynamic_cast<const VisionLayer*>(&layer);
  return vision ? &vision->pipeline() : nullptr;
}

config::LayerType layer_type() {
  return {
      .name = "vision",
      .help = "a pipeline of image filters on video streams",
      .table = &request_table(),
      .plan = plan_with<Request, static_cast<std::unique_ptr<Layer> (*)(
                                     const Request&, const config::Target&)>(make_layer)>,
      .examples = {
          R"({"type": "vision", "width": 8, "height": 6, "stages": [{"kernel": "gaussian"}, {"kernel": "threshold", "value": 100}]})"}};
}

}  // namespace kumiki::gen::vision
