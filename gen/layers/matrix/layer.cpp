// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/layer.h"

#include <fmt/format.h>

#include "gen/blocks/packing/picture.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/common/planning.h"
#include "gen/layers/dot/legal.h"
#include "gen/layers/matrix/build.h"
#include "gen/layers/matrix/model.h"
#include "gen/layers/matrix/picture.h"
#include "gen/layers/matrix/reference.h"

namespace kumiki::gen::matrix {
namespace {

class MatrixLayer : public Layer {
 public:
  explicit MatrixLayer(MatrixPlan plan)
      : plan_(std::move(plan)), in_(input_shape(plan_)), out_(output_shape(plan_)) {}
  std::string plan_text() const override { return to_text(plan_); }
  void write_plan(config::Writer& w) const override { write(w, plan_); }
  Facts facts() const override {
    const ConvShape& s = plan_.shape;
    const auto result_bits = plan_.result_format(0, 0).bits;
    return {.latency = plan_.set_latency(),
            .macs_per_clock = static_cast<double>(plan_.macs_per_clock()),
            .slices = plan_.slices(),
            .frame = FrameFacts{plan_.cycles_a_frame(),
                                s.in_channels * s.height * s.width * plan_.activations.bits,
                                s.out_channels * s.out_height() * s.out_width() * result_bits},
            .host = host_facts(plan_),
            .levels = 3};
  }
  std::vector<Picture> pictures() const override {
    return {{"engine", engine_svg(plan_)}, {"column", packing::picture_svg(plan_.chain())}};
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, matrix::build, plan_, in_, origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<MatrixIn, MatrixOut, MatrixModel>>(in_, out_, MatrixModel(plan_));
  }
  Definition definition() const override { return reference(plan_); }
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

// Refuses embedded weights beyond the limit.
template <class R>
MatrixRequest wanted(const R& request) {
  try {
    return matrix_request(request);
  } catch (const DesignError& e) {
    throw config::Refusal(request.values ? "values" : "weights_from", e,
                          "use fewer weights, or set \"weights_from\" to \"port\"");
  }
}

template <class R>
std::unique_ptr<Layer> made(const R& request, const config::Target& target) {
  MatrixRequest r = wanted(request);
  r.limits = limits_of(target);
  auto plan = planned(r);
  if (!plan) throw config::Refusal(plan.reason());
  return std::make_unique<MatrixLayer>(*std::move(plan));
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

std::vector<config::LayerType> layer_types() {
  return {
      {.name = "matvec",
       .help = "a matrix times vectors on a matrix of packed chains",
       .table = &matvec_table(),
       .plan = plan_with<MatvecRequest, make_matvec>,
       .examples =
           {R"({"type": "matvec", "outputs": 4, "inputs": 6, "weights_from": "random", "slices": 8})"}},
      {.name = "matmul",
       .help = "a product of matrices on a matrix of packed chains",
       .table = &matmul_table(),
       .plan = plan_with<MatmulRequest, make_matmul>,
       .examples =
           {R"({"type": "matmul", "m": 2, "k": 4, "n": 3, "weights_from": "port", "slices": 8})"}},
      {.name = "conv2d",
       .help = "a convolution on a matrix of packed chains",
       .table = &conv_table(),
       .plan = plan_with<ConvRequest, make_conv>,
       .examples =
           {R"({"type": "conv2d", "in_channels": 2, "out_channels": 2, "height": 4, "width": 5, "padding": 1, "weights_from": "random", "slices": 16})",
            R"({"type": "conv2d", "in_channels": 4, "out_channels": 2, "height": 3, "width": 4, "weights_from": "port", "rows": 4, "columns": 1, "clocking": "double"})"}},
  };
}

}  // namespace kumiki::gen::matrix
