// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/layer.h"

#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/requant/build.h"
#include "gen/layers/requant/corners.h"
#include "gen/layers/requant/model.h"
#include "gen/layers/requant/reference.h"

namespace kumiki::gen::requant {
namespace {

using config::field;

class RequantLayer : public Layer {
 public:
  explicit RequantLayer(const Request& request) : plan_(plan(request)) {}
  std::string plan_text() const override { return to_text(plan_); }
  void write_plan(config::Writer& w) const override { write(w, plan_); }
  Facts facts() const override { return {.latency = plan_.slice.latency, .slices = 1}; }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, requant::build, plan_, plan_.input_shape(), origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<RequantIn, RequantOut, RequantModel>>(
        plan_.input_shape(), plan_.output_shape(), RequantModel(plan_));
  }
  Definition definition() const override { return reference(plan_); }
  std::vector<Beat> beats() const override {
    const auto in = plan_.input_shape();
    const auto one = [](const char* name, const arith::Format& format, const char* valid) {
      return Beat{.port = name, .formats = {format}, .what = name, .when = {valid, "en"}};
    };
    const auto of_word = [](const SInt& word) {
      return arith::Format{static_cast<int>(word.width()), true};
    };
    std::vector<Beat> all{one("acc", of_word(in.acc), "in_valid")};
    const auto port = [&](const char* name, const std::vector<SInt>& word) {
      if (!word.empty()) all.push_back(one(name, of_word(word[0]), "in_valid"));
    };
    port("scale", in.scale);
    port("bias", in.bias);
    port("zero_point", in.zero_point);
    all.push_back(one("q", plan_.request.result_format(), "out_valid"));
    return all;
  }
  void constrain(ir::Frame& frame) const override {
    RequantIn<Values> in;
    unpack(plan_.input_shape(), frame, in);
    steer(plan_, in);
    pack(plan_.input_shape(), in, frame);
  }

 private:
  Plan plan_;
};

}  // namespace

const config::Table& request_table() {
  static const config::TableOf<Request> table{
      "requant",
      "An accumulator to an operand of the next layer in one DSP48E2: q = clamp(round((acc + bias) "
      "* scale) + zero point).",
      {field("accumulator_bits", &Request::accumulator_bits)
           .range(2, 27)
           .unit("bits")
           .absent("accumulator gives the range")
           .help("width of the signed accumulator"),
       field("accumulator", &Request::accumulator)
           .range(-(1 << 26), (1 << 26) - 1)
           .absent("accumulator_bits gives the range")
           .help("lowest and highest accumulator: fewer bits are compared when it is known"),
       field("bias_bits", &Request::bias_bits)
           .range(1, 27)
           .unit("bits")
           .absent("there is no bias")
           .help("a signed bias of that width comes with every accumulator (pre-adder)"),
       field("scale", &Request::scale)
           .range(-131071.0, 131071.0)
           .absent("a signed 18-bit scale comes with every accumulator")
           .help("embedded factor; 17 bits of it and a shift are used"),
       field("shift", &Request::shift)
           .range(0, 46)
           .absent("chosen for the embedded scale")
           .help("the scale stands for scale / 2^shift"),
       field("rounding", &Request::rounding)
           .choices({{"half-even", Rounding::half_even, "ties to the even neighbour"},
                     {"half-away", Rounding::half_away, "ties away from zero"},
                     {"half-up", Rounding::half_up, "ties upwards"}})
           .help("to the nearest integer; where ties go"),
       field("zero_point", &Request::zero_point)
           .range(-131072, 131071)
           .help("added after rounding"),
       field("zero_point_bits", &Request::zero_point_bits)
           .range(1, 18)
           .unit("bits")
           .absent("zero_point is the same for all")
           .help("a signed zero point of that width comes with every accumulator"),
       field("result_bits", &Request::result_bits).range(2, 18).unit("bits").help("width of q"),
       field("result_sign", &Request::result_sign)
           .choices({{"signed", Sign::is_signed, "two's complement"},
                     {"unsigned", Sign::is_unsigned, "from 0"}})
           .help("how q is read"),
       field("clamp", &Request::clamp)
           .range(-131072, 262143)
           .absent("all that q can hold")
           .help("lowest and highest q"),
       field("activation", &Request::activation)
           .choices({{"none", Activation::none, "nothing"},
                     {"relu", Activation::relu, "not below the zero point"},
                     {"relu6", Activation::relu6, "nor above the zero point + six"}})
           .help("what else limits q"),
       field("six", &Request::six)
           .range(1, 262143)
           .absent("there is no relu6")
           .help("the integer that stands for 6.0")}};
  return table;
}

std::unique_ptr<Layer> make_layer(const Request& request) {
  return std::make_unique<RequantLayer>(request);
}

config::LayerType layer_type() {
  return {
      .name = "requant",
      .help = "an accumulator scaled, rounded and clamped to an operand in one slice",
      .table = &request_table(),
      .families = families_of_dsp48e2(),
      .plan = plan_with<Request, make_layer>,
      .examples = {
          R"({"type": "requant", "accumulator_bits": 20, "bias_bits": 12, "scale": 0.0123, "activation": "relu"})"}};
}

}  // namespace kumiki::gen::requant
