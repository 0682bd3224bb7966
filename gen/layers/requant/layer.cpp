// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/layer.h"

#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/common/planning.h"
#include "gen/layers/requant/build.h"
#include "gen/layers/requant/corners.h"
#include "gen/layers/requant/model.h"
#include "gen/layers/requant/reference.h"

namespace kumiki::gen::requant {
namespace {

using config::field;

Facts facts_of(const Plan& p) { return {.latency = p.slice.latency, .slices = 1, .levels = 3}; }
Facts facts_of(const ChannelPlan& p) {
  return {.latency = p.latency, .slices = p.slices(), .levels = p.levels()};
}

template <class P>
class RequantLayer : public Layer {
 public:
  RequantLayer(const Request& request, P plan)
      : result_(request.result_format()), plan_(std::move(plan)) {}
  std::string plan_text() const override { return to_text(plan_); }
  void write_plan(config::Writer& w) const override { write(w, plan_); }
  Facts facts() const override { return facts_of(plan_); }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module<P, RequantIn<Hardware>, RequantOut<Hardware>>(
        builder, requant::build, plan_, input_shape(plan_), origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<RequantIn, RequantOut, RequantModel>>(
        input_shape(plan_), output_shape(plan_), RequantModel(plan_));
  }
  Definition definition() const override { return reference(plan_); }
  std::vector<Beat> beats() const override {
    std::vector<Beat> all;
    const auto add = [&](const char* name, const arith::Format& format, const char* valid) {
      all.push_back({.port = name, .formats = {format}, .what = name, .when = {valid, "en"}});
    };
    const auto words = [&](const char* name, const auto& port, bool is_signed) {
      for (const auto& word : port)
        add(name, {static_cast<int>(word.width()), is_signed}, "in_valid");
    };
    const auto in = input_shape(plan_);
    words("acc", std::vector{in.acc}, true);
    words("scale", in.scale, true);
    words("bias", in.bias, true);
    words("zero_point", in.zero_point, true);
    words("channel", in.channel, false);
    add("q", result_, "out_valid");
    return all;
  }
  void constrain(ir::Frame& frame) const override {
    const auto shape = input_shape(plan_);
    RequantIn<Values> in;
    unpack(shape, frame, in);
    steer(plan_, in);
    pack(shape, in, frame);
  }

 private:
  arith::Format result_;
  P plan_;
};

}  // namespace

const config::Table& request_table() {
  static const config::TableOf<Request> table{
      "requant",
      "An accumulator to an operand of the next layer in one DSP slice: q = clamp(round((acc + "
      "bias) * scale) + zero point).",
      {field("accumulator_bits", &Request::accumulator_bits)
           .range(2, 32)
           .unit("bits")
           .absent("accumulator gives the range")
           .help("width of the signed accumulator, 27 at most with rule \"scaled\""),
       field("accumulator", &Request::accumulator)
           .range(-(std::int64_t{1} << 31), (std::int64_t{1} << 31) - 1)
           .absent("accumulator_bits gives the range")
           .help("lowest and highest accumulator: fewer bits are compared when it is known"),
       field("bias_bits", &Request::bias_bits)
           .range(1, ir::arch::dsp48e2.d)
           .unit("bits")
           .absent("there is no bias")
           .help("a signed bias of that width comes with every accumulator (pre-adder)"),
       field("rule", &Request::rule)
           .choices({{"scaled", Rule::scaled, "the formula above, with 17 bits of one scale"},
                     {"onnxruntime", Rule::onnxruntime,
                      "the bits of onnxruntime on x86: float32 scales, a channel each"},
                     {"tflite", Rule::tflite,
                      "the bits of TFLite: a doubling high multiply, then a rounding shift"}})
           .help("what scale, multiplier and shift mean"),
       field("scale", &Request::scale)
           .range(-131071.0, 131071.0)
           .length(1, 4096)
           .absent("a signed 18-bit scale comes with every accumulator")
           .help("embedded factor; 17 bits of it and a shift are used. With rule onnxruntime a "
                 "float32, or one a channel"),
       field("multipliers", &Request::multiplier)
           .range(1, 2147483647)
           .length(1, 4096)
           .absent("the rule is not tflite")
           .help("of rule tflite, 2^30 and more, one or one a channel"),
       field("shift", &Request::shift)
           .range(-31, 46)
           .length(1, 4096)
           .absent("chosen for the embedded scale")
           .help(
               "the scale stands for scale / 2^shift; of rule tflite to the right, below 0 to the "
               "left, one or one a channel"),
       field("factor_bits", &Request::factor_bits)
           .range(1, ir::arch::dsp48e2.factor_bits())
           .unit("bits")
           .absent("26 bits, or float32's product where these are not equal")
           .help("of a named rule: the longest factor in a slice"),
       field("exact", &Request::exact)
           .absent("what is not equal is refused")
           .help(
               "of a named rule: false takes the nearest factor where none is equal, and the plan "
               "says at which accumulators"),
       field("rounding", &Request::rounding)
           .choices({{"half-even", Rounding::half_even, "ties to the even neighbour"},
                     {"half-away", Rounding::half_away, "ties away from zero"},
                     {"half-up", Rounding::half_up, "ties upwards"},
                     {"down", Rounding::down, "to the integer below"},
                     {"up", Rounding::up, "to the integer above"},
                     {"to-zero", Rounding::to_zero, "to the integer towards zero"}})
           .help("to the nearest integer, and where ties go; or to one side"),
       field("zero_point", &Request::zero_point)
           .range(-131072, 131071)
           .help("added after rounding"),
       field("zero_point_bits", &Request::zero_point_bits)
           .range(1, ir::arch::dsp48e2.multiplier_b)
           .unit("bits")
           .absent("zero_point is the same for all")
           .help("a signed zero point of that width comes with every accumulator"),
       field("result_bits", &Request::result_bits)
           .range(2, ir::arch::dsp48e2.multiplier_b)
           .unit("bits")
           .help("width of q"),
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
  if (request.rule != Rule::scaled)
    return std::make_unique<RequantLayer<ChannelPlan>>(request, plan_channels(request));
  return std::make_unique<RequantLayer<Plan>>(request, plan(request));
}

namespace {

std::unique_ptr<Layer> made(Request request, const config::Target& target) {
  request.limits = limits_of(target);
  return make_layer(request);
}

}  // namespace

config::LayerType layer_type() {
  return {
      .name = "requant",
      .help = "an accumulator scaled, rounded and clamped to an operand in one slice",
      .table = &request_table(),
      .plan = plan_with<Request, made>,
      .examples = {
          R"({"type": "requant", "accumulator_bits": 20, "bias_bits": 12, "scale": 0.0123, "activation": "relu"})",
          R"({"type": "requant", "accumulator_bits": 8, "bias_bits": 6, "scale": 0.037, "rounding": "to-zero"})",
          R"({"type": "requant", "rule": "onnxruntime", "accumulator_bits": 10, "scale": [0.0123, 0.25], "zero_point": 3, "result_bits": 4})",
          R"({"type": "requant", "rule": "tflite", "accumulator_bits": 10, "multipliers": 1518500250, "shift": 6, "result_bits": 4})"}};
}

}  // namespace kumiki::gen::requant
