// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/layer.h"

#include <fmt/format.h>

#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/vision/build.h"
#include "gen/layers/vision/model.h"
#include "gen/layers/vision/report.h"
#include "gen/layers/vision/source.h"

namespace kumiki::gen::vision {
namespace {

class VisionLayer : public Layer {
 public:
  explicit VisionLayer(Pipeline pipeline)
      : pipeline_(std::move(pipeline)),
        in_(input_shape(pipeline_)),
        out_(output_shape(pipeline_)) {}

  const Pipeline& pipeline() const { return pipeline_; }
  std::string plan_text() const override { return to_text(pipeline_); }
  Json plan_json() const override { return to_json(pipeline_); }
  std::vector<Picture> pictures() const override { return vision::pictures(pipeline_); }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, build_pipeline, pipeline_, in_, origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<VideoIn, VideoOut, PipelineModel>>(in_, out_,
                                                                     PipelineModel(pipeline_));
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
  VideoIn<Hardware> in_;
  VideoOut<Hardware> out_;
};

}  // namespace

std::unique_ptr<Layer> make_layer(const Request& request, const config::Target& target) {
  packing::Limits limits;
  if (target.column_height) limits.column_height = *target.column_height;
  return make_layer(make_pipeline(request, limits));
}

std::unique_ptr<Layer> make_layer(const Pipeline& pipeline) {
  return std::make_unique<VisionLayer>(pipeline);
}

const Pipeline* pipeline_of(const Layer& layer) {
  const auto* vision = dynamic_cast<const VisionLayer*>(&layer);
  return vision ? &vision->pipeline() : nullptr;
}

}  // namespace kumiki::gen::vision
