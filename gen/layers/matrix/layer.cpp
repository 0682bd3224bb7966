// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/layer.h"

#include "gen/blocks/packing/picture.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/dot/legal.h"
#include "gen/layers/matrix/build.h"
#include "gen/layers/matrix/model.h"
#include "gen/layers/matrix/picture.h"

namespace kumiki::gen::matrix {
namespace {

class MatrixLayer : public Layer {
 public:
  explicit MatrixLayer(MatrixPlan plan)
      : plan_(std::move(plan)), in_(input_shape(plan_)), out_(output_shape(plan_)) {}
  std::string plan_text() const override { return to_text(plan_); }
  Json plan_json() const override { return to_json(plan_); }
  std::vector<Picture> pictures() const override {
    return {{"engine", engine_svg(plan_)}, {"column", packing::picture_svg(plan_.column)}};
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, matrix::build, plan_, in_, origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<MatrixIn, MatrixOut, MatrixModel>>(in_, out_, MatrixModel(plan_));
  }
  std::vector<Beat> beats() const override { return matrix::beats(plan_); }
  void constrain(ir::Frame& frame) const override {
    if (dot::takes_everything(plan_.activations) && dot::takes_everything(plan_.weights)) return;
    MatrixIn<Values> values;
    unpack(in_, frame, values);
    for (auto& x : values.in_data) x = dot::made_legal(x, plan_.activations);
    for (auto& w : values.w_data) w = dot::made_legal(w, plan_.weights);
    pack(in_, values, frame);
  }

 private:
  MatrixPlan plan_;
  MatrixIn<Hardware> in_;
  MatrixOut<Hardware> out_;
};

template <class R>
std::unique_ptr<Layer> made(const R& request, const config::Target& target) {
  MatrixRequest r = matrix_request(request);
  if (target.column_height) r.limits.column_height = *target.column_height;
  return make_layer(r);
}

}  // namespace

std::unique_ptr<Layer> make_layer(const MatrixRequest& request) {
  return std::make_unique<MatrixLayer>(plan(request));
}

std::unique_ptr<Layer> make_conv(const ConvRequest& request, const config::Target& target) {
  return made(request, target);
}
std::unique_ptr<Layer> make_matmul(const MatmulRequest& request, const config::Target& target) {
  return made(request, target);
}
std::unique_ptr<Layer> make_matvec(const MatvecRequest& request, const config::Target& target) {
  return made(request, target);
}

}  // namespace kumiki::gen::matrix
