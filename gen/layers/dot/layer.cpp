// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/dot/layer.h"

#include "gen/blocks/packing/picture.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/dot/alternatives.h"
#include "gen/layers/dot/build.h"
#include "gen/layers/dot/legal.h"
#include "gen/layers/dot/model.h"

namespace kumiki::gen::dot {
namespace {

class DotLayer : public Layer {
 public:
  DotLayer(DotPlan plan, packing::Request request)
      : plan_(std::move(plan)),
        request_(std::move(request)),
        in_(plan_.input_shape()),
        out_(plan_.output_shape()) {}
  std::string plan_text() const override { return to_text(plan_); }
  Json plan_json() const override { return to_json(plan_); }
  std::string alternatives_text() const override { return to_text(alternatives(request_)); }
  Json alternatives_json() const override { return to_json(alternatives(request_)); }
  std::vector<Picture> pictures() const override {
    return {{"packing", packing::picture_svg(plan_.packing)}};
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, dot::build, plan_, in_, origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<DotIn, DotOut, DotModel>>(in_, out_, DotModel(plan_));
  }
  std::uint32_t clocks_of_set() const override {
    return plan_.skew == packing::Skew::External
               ? 0
               : static_cast<std::uint32_t>(plan_.packing.cycles());
  }
  std::vector<Beat> beats() const override { return dot::beats(plan_); }
  void constrain(ir::Frame& frame) const override {
    const auto& k = plan_.packing;
    if (takes_everything(k.packed) && takes_everything(k.shared)) return;
    DotIn<Values> values;
    unpack(in_, frame, values);
    for (auto& x : values.x) x = made_legal(x, k.packed);
    for (auto& y : values.y) y = made_legal(y, k.shared);
    pack(in_, values, frame);
  }

 private:
  DotPlan plan_;
  packing::Request request_;
  DotIn<Hardware> in_;
  DotOut<Hardware> out_;
};

}  // namespace

std::unique_ptr<Layer> make_layer(const Request& request, const config::Target& target) {
  packing::Limits limits;
  if (target.column_height) limits.column_height = *target.column_height;
  packing::Request wanted = packing_request(request);
  wanted.limits = limits;
  return std::make_unique<DotLayer>(plan(request, limits), std::move(wanted));
}

}  // namespace kumiki::gen::dot
