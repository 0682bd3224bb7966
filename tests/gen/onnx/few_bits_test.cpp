// SPDX-License-Identifier: Apache-2.0
// QONNX and what stands between sums and their quantisers: what becomes of them, and what is
// refused. That the numbers are onnxruntime's, import_test.cpp says.
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/onnx/import.h"
#include "tests/gen/onnx/changed.h"

namespace kumiki::gen::onnx::few_bits_test {
namespace {

using changed::number;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Array list(std::vector<float> v) { return array_of({static_cast<std::int64_t>(v.size())}, v); }

// x of two channels of one pixel, quantised to 4 bits with the scale 1/4; a convolution 1x1 with
// the weights 1 -2, 3 1 times 1/2; a quantiser of 3 bits with the scale 1.
Model plain(const std::string& domain = "qonnx.custom_op.general") {
  Model m{.name = "m", .opsets = {{"", 13}, {domain, 1}}};
  m.inputs = {{"x", Type::f32, {-1, 2, 1, 1}}};
  m.outputs = {{"out", Type::f32, {-1, 2, 1, 1}}};
  m.constants = {{"sx", number(0.25F)},
                 {"sw", number(0.5F)},
                 {"sy", number(1)},
                 {"z", number(0)},
                 {"b3", number(3)},
                 {"b4", number(4)},
                 {"w", array_of({2, 2, 1, 1}, std::vector<float>{0.5F, -1, 1.5F, 0.5F})}};
  auto node = [&](const char* name, const std::string& of, const char* op,
                  std::vector<std::string> in, const char* out) {
    m.nodes.push_back({name, of, op, std::move(in), {out}, {}});
  };
  node("qx", domain, "Quant", {"x", "sx", "z", "b4"}, "xq");
  node("qw", domain, "Quant", {"w", "sw", "z", "b3"}, "wq");
  node("c", "", "Conv", {"xq", "wq"}, "y");
  node("qy", domain, "Quant", {"y", "sy", "z", "b3"}, "out");
  return m;
}
// Between the convolution and its quantiser.
void insert(Model& m, const std::string& op, std::vector<std::string> inputs) {
  m.nodes.insert(m.nodes.begin() + 3, {"f", "", op, std::move(inputs), {"f"}, {}});
  m.nodes[4].inputs[0] = "f";
}

std::string refused(const std::function<void(Model&)>& change) {
  return changed::refused(plain(), change);
}

std::vector<std::int32_t> run(const Imported& model, const std::vector<std::int32_t>& image) {
  return graph::Interpreter(model.graph).run_all(image, model.outputs[0].tensor, 1);
}

TEST(FewBits, AScaleIsEnoughWhereNothingStandsBetween) {
  for (const char* domain : {"qonnx.custom_op.general", "onnx.brevitas"}) {
    const Imported model = import_model(plain(domain), "m.onnx");
    ASSERT_EQ(model.graph.nodes.size(), 1U);
    const auto& c = std::get<graph::Conv>(model.graph.nodes[0].op);
    EXPECT_THAT(c.weights, ElementsAre(1, -2, 3, 1));
    EXPECT_THAT(c.scales, ElementsAre(0.125F, 0.125F));
    EXPECT_THAT(model.notes, IsEmpty());
    // (7 + 16) / 8 = 2.875; (21 - 8) / 8 = 1.625; ties: 4 / 8 is 0, 12 / 8 is 2.
    EXPECT_THAT(run(model, {7, -8}), ElementsAre(3, 2));
    EXPECT_THAT(run(model, {4, 0}), ElementsAre(0, 2));
  }
}

// By hand: y = sum / 8, times -2 and plus 0.5, to the nearest even.
TEST(FewBits, AFactorBelowZeroMakesAChannelFall) {
  Model m = plain();
  for (const char* name : {"scale", "mean", "bias", "variance"}) m.constants[name] = list({1, 1});
  m.constants["scale"] = list({-2, 1});
  m.constants["mean"] = list({0, 0});
  m.constants["bias"] = list({0.5F, 0});
  insert(m, "BatchNormalization", {"y", "scale", "bias", "mean", "variance"});
  m.nodes[3].attributes["epsilon"] = 0.0F;
  const Imported model = import_model(m, "m.onnx");
  ASSERT_EQ(model.graph.nodes.size(), 2U);
  const auto& t = std::get<graph::Thresholds>(model.graph.nodes[1].op);
  EXPECT_EQ(t.lowest, -4);
  EXPECT_EQ(t.levels, 7);
  EXPECT_THAT(t.falling, ElementsAre(1, 0));
  EXPECT_THAT(model.notes, IsEmpty());
  // Sums of 7, 5: -1.25 is -1, 0.625 is 1; of -4: 1.5 is 2; of 4, 12: -0.5 is 0, 1.5 is 2.
  EXPECT_THAT(run(model, {1, -3}), ElementsAre(-1, 0));
  EXPECT_THAT(run(model, {0, 2}), ElementsAre(2, 0));
  EXPECT_THAT(run(model, {4, 0}), ElementsAre(0, 2));
}

TEST(FewBits, OneBitIsMinusOneAndOne) {
  Model m = plain();
  m.nodes[3].op = "BipolarQuant";
  m.nodes[3].inputs = {"y", "sy"};
  const Imported model = import_model(m, "m.onnx");
  EXPECT_THAT(run(model, {2, 1}), ElementsAre(1, 1));  // 0 is 1
  EXPECT_THAT(run(model, {1, 1}), ElementsAre(-1, 1));
  EXPECT_THAT(run(model, {0, -1}), ElementsAre(1, -1));
  // The same by Quant of one bit with a sign.
  Model one = plain();
  one.constants["b1"] = number(1);
  one.nodes[3].inputs[3] = "b1";
  EXPECT_EQ(import_model(one, "m.onnx").graph, model.graph);
}

TEST(FewBits, ABiasIsPartOfTheSumsOrOfTheSteps) {
  Model m = plain();
  m.constants["b"] = list({0.375F, -1});  // 3 and -8 times 1/8
  m.nodes[2].inputs.emplace_back("b");
  const Imported whole = import_model(m, "m.onnx");
  ASSERT_EQ(whole.graph.nodes.size(), 1U);
  EXPECT_THAT(std::get<graph::Conv>(whole.graph.nodes[0].op).bias, ElementsAre(3, -8));
  m.constants["b"] = list({0.3F, -1});
  const Imported steps = import_model(m, "m.onnx");
  ASSERT_EQ(steps.graph.nodes.size(), 2U);
  // 1 / 8 + 0.3 is 0; 2 / 8 + 0.3 is 1.
  EXPECT_THAT(run(steps, {1, 0}), ElementsAre(0, -1));
  EXPECT_THAT(run(steps, {2, 0}), ElementsAre(1, 0));
}

// Sums of real numbers that are no multiples of a power of two are rounded, in an order that only
// onnxruntime knows: where that may matter, it is said.
TEST(FewBits, StepsThatAreTooNearToASumAreNoted) {
  Model m = plain();
  m.constants["sw"] = number(0.3F);
  m.constants["sy"] = number(0.15F);  // 2 sums of 0.075 are one step: ties everywhere
  EXPECT_THAT(import_model(m, "m.onnx").notes, ElementsAre(HasSubstr("node c: ")));
  m.constants["sy"] = number(0.31F);
  EXPECT_THAT(import_model(m, "m.onnx").notes, IsEmpty());
}

TEST(FewBits, TheLastSumsAreTheResult) {
  Model m = plain();
  m.outputs[0].name = "y";
  const Imported model = import_model(m, "m.onnx");
  const auto& out = model.graph.tensors[model.outputs[0].tensor];
  EXPECT_EQ(out.scale, 0.125F);
  EXPECT_TRUE(model.outputs[0].is_float);
  EXPECT_THAT(run(model, {7, -8}), ElementsAre(23, 13));
}

// A quantiser is monotone, so what stands before the first one is done behind it.
TEST(FewBits, WhatStandsBeforeTheFirstQuantiser) {
  Model m = plain();
  m.nodes.insert(m.nodes.begin(), {{"r", "", "Relu", {"x"}, {"xr"}, {}},
                                   {"t", "", "Transpose", {"xr"}, {"xt"}, {}}});
  m.nodes[1].attributes["perm"] = std::vector<std::int64_t>{0, 1, 3, 2};
  m.nodes[2].inputs[0] = "xt";
  const Imported model = import_model(m, "m.onnx");
  EXPECT_EQ(model.input.name, "x");
  EXPECT_THAT(run(model, {7, -8}), ElementsAre(1, 3));  // of 7, 0: 0.875 and 2.625
  Model flat = plain();
  flat.inputs[0].dims = {-1, 1, 1, 2};
  flat.nodes.insert(
      flat.nodes.begin(),
      {"t", "", "Transpose", {"x"}, {"xt"}, {{"perm", std::vector<std::int64_t>{0, 3, 1, 2}}}});
  flat.nodes[1].inputs[0] = "xt";
  const Imported turned = import_model(flat, "m.onnx");
  EXPECT_EQ(graph::to_string(turned.graph.tensors[turned.input.tensor].shape), "1x1x2");
  EXPECT_THAT(run(turned, {7, -8}), ElementsAre(3, 2));
}

// Brevitas' QCDQ: 4 bits in a byte, with Clip between.
TEST(FewBits, ClipsOfIntegersNarrowThem) {
  Model m{.name = "m", .opsets = {{"", 13}}};
  m.inputs = {{"x", Type::f32, {-1, 4}}};
  m.outputs = {{"out", Type::f32, {-1, 4}}};
  const auto byte = [](int v) { return Array{Type::s8, {}, std::string(1, static_cast<char>(v))}; };
  m.constants = {{"s", number(0.5F)}, {"z", byte(0)}, {"low", byte(-7)}, {"high", byte(7)}};
  m.nodes = {{"q", "", "QuantizeLinear", {"x", "s", "z"}, {"xq"}, {}},
             {"c", "", "Clip", {"xq", "low", "high"}, {"xc"}, {}},
             {"d", "", "DequantizeLinear", {"xc", "s", "z"}, {"out"}, {}}};
  const Imported model = import_model(m, "m.onnx");
  EXPECT_EQ(to_string(model.graph.tensors[model.outputs[0].tensor].format), "S4");
  EXPECT_THAT(run(model, {-128, -7, 6, 100}), ElementsAre(-7, -7, 6, 7));
}

// By hand: means of (1 3, 5 8), of halves: 4.25 / 2 in steps of 1/2.
TEST(FewBits, MeansOfWindowsAreSums) {
  Model m = plain();
  m.inputs[0].dims = {-1, 1, 2, 3};
  m.outputs[0].dims = {-1, 1, 1, 2};
  m.nodes.erase(m.nodes.begin() + 1);
  m.nodes[1] = {"a", "", "AveragePool", {"xq"}, {"y"}, {}};
  m.nodes[1].attributes["kernel_shape"] = std::vector<std::int64_t>{2, 2};
  m.constants["sy"] = number(0.25F);
  m.nodes[2].inputs[3] = "b4";
  const Imported model = import_model(m, "m.onnx");
  ASSERT_EQ(model.graph.nodes.size(), 1U);
  // 17 / 4 and 10 / 4, which is 2 to the even neighbour.
  EXPECT_THAT(run(model, {1, 3, -4, 5, 7, 4}), ElementsAre(4, 2));
}

// Of one number, which is halved: -60 is -125 over 65, and -62.5 + 106 a tie between 43 and 44. In
// float32, as onnxruntime has it, -125 * 0.0038031985 is -0.47539982 and that over 0.0076063969 is
// -62.500004, which is 43.
TEST(FewBits, AMeanOfOneNumberIsRoundedAsOnnxruntimeDoes) {
  Model m{.name = "m", .opsets = {{"", 17}, {"com.microsoft", 1}}};
  m.inputs = {{"x", Type::s8, {-1, 1, 1, 3}}};
  m.outputs = {{"out", Type::s8, {-1, 1, 1, 3}}};
  m.constants = {{"s", number(0.0038031984586268663F)},
                 {"z", Array{Type::s8, {}, std::string(1, '\x41')}},
                 {"t", number(0.007606396917253733F)},
                 {"y", Array{Type::s8, {}, std::string(1, '\x6a')}}};
  m.nodes.push_back(
      {"a", "com.microsoft", "QLinearAveragePool", {"x", "s", "z", "t", "y"}, {"out"}, {}});
  m.nodes[0].attributes["kernel_shape"] = std::vector<std::int64_t>{1, 1};
  const Imported model = import_model(m, "m.onnx");
  EXPECT_THAT(model.notes, IsEmpty());
  EXPECT_THAT(run(model, {-60, -124, 66}), ElementsAre(43, 11, 106));
}

TEST(FewBits, WhatHasNoMeaningIsRefused) {
  const auto constant = [](const char* name, const Array& value) {
    return [=](Model& m) { m.constants[name] = value; };
  };
  EXPECT_EQ(refused([](Model&) {}), "imported");
  EXPECT_THAT(refused(constant("b3", number(9))),
              HasSubstr("quantises to 9 bits; it must be 1 to 8"));
  EXPECT_THAT(refused(constant("b3", number(2.5F))), HasSubstr("quantises to 2.5 bits"));
  EXPECT_THAT(refused(constant("z", number(0.5F))), HasSubstr("has the zero point 0.5"));
  EXPECT_THAT(refused(constant("sy", number(-1))), HasSubstr("has the scale -1 in input 1 (sy)"));
  EXPECT_THAT(refused(constant("sy", list({1, 1}))), HasSubstr("several scales"));
  EXPECT_THAT(refused(constant("sw", list({1, 1, 1}))), HasSubstr("has scales of [3] for"));
  EXPECT_THAT(refused(constant("sx", number(NAN))), HasSubstr("numbers must be finite"));
  EXPECT_THAT(
      refused([](Model& m) { m.nodes[3].attributes["rounding_mode"] = std::string("DPU"); }),
      HasSubstr("has rounding_mode = DPU; it must be ROUND, HALF_EVEN"));
  EXPECT_THAT(
      refused([](Model& m) { m.nodes[0].attributes["rounding_mode"] = std::string("FLOOR"); }),
      HasSubstr("by thresholds or with another rounding; the first quantiser must have all numbers "
                "of its bits"));
  EXPECT_THAT(refused([](Model& m) { m.nodes[0].attributes["narrow"] = std::int64_t{1}; }),
              HasSubstr("quantises the input of the model to a narrow range"));
  EXPECT_THAT(refused([](Model& m) { m.nodes[3].domain = "other"; }),
              HasSubstr("node qy (other.Quant) is not supported"));
  const auto behind = [](const std::string& op, const Array& value) {
    return refused([&](Model& m) {
      m.constants["k"] = value;
      insert(m, op, {"y", "k"});
    });
  };
  EXPECT_EQ(behind("Mul", number(2)), "imported");
  EXPECT_THAT(behind("Mul", list({1, 2, 3})), HasSubstr("one for each channel"));
  EXPECT_THAT(behind("Mul", number(INFINITY)), HasSubstr("numbers must be finite"));
  EXPECT_THAT(behind("Div", number(0)), HasSubstr("divides by 0"));
  EXPECT_THAT(refused([](Model& m) { insert(m, "Sigmoid", {"y"}); }),
              HasSubstr("reads input 0 (y), the float32 result of node c"));
  EXPECT_THAT(refused([](Model& m) {
                for (const char* name : {"a", "b", "c"}) m.constants[name] = list({1, 1});
                m.constants["d"] = list({1, -1});
                insert(m, "BatchNormalization", {"y", "a", "b", "c", "d"});
              }),
              HasSubstr("has the variance -1 in channel 1"));
  EXPECT_THAT(refused([](Model& m) {
                m.nodes.insert(m.nodes.begin(), {"s", "", "Sigmoid", {"x"}, {"xs"}, {}});
                m.nodes[1].inputs[0] = "xs";
              }),
              HasSubstr("node s (Sigmoid) reads input 0 (x), which is not quantised"));
  // The host multiplies what it reads, not what became of it.
  EXPECT_THAT(refused([](Model& m) {
                m.nodes.insert(m.nodes.begin(), {{"r", "", "Relu", {"x"}, {"xr"}, {}},
                                                 {"s", "", "Mul", {"xr", "sx"}, {"xs"}, {}}});
                m.nodes[2].inputs[0] = "xs";
              }),
              HasSubstr("follows a pool, a clip or padding of the float input"));
  EXPECT_THAT(refused([](Model& m) {
                m.nodes.insert(m.nodes.begin() + 1, {"p", "", "AveragePool", {"xq"}, {"xp"}, {}});
                m.nodes[1].attributes["kernel_shape"] = std::vector<std::int64_t>{2, 2};
                m.nodes[1].attributes["pads"] = std::vector<std::int64_t>{1, 1, 0, 0};
                m.nodes[3].inputs[0] = "xp";
              }),
              HasSubstr("averages windows of different counts of numbers at its edges"));
  const auto thresholds = [](const Array& value, float scale, float bias) {
    return refused([&](Model& m) {
      m.constants["t"] = value;
      m.nodes[3].op = "MultiThreshold";
      m.nodes[3].inputs = {"y", "t"};
      m.nodes[3].attributes = {{"out_scale", scale}, {"out_bias", bias}};
    });
  };
  const Array three = array_of({2, 3}, std::vector<float>{0, 1, 2, -1, 0, 1});
  EXPECT_EQ(thresholds(three, 1, 0), "imported");
  EXPECT_EQ(thresholds(three, 2, -1), "imported");
  EXPECT_THAT(thresholds(three, 1, 0.3F),
              HasSubstr("gives 1 x count + 0.3; it must be 8 bits times one scale"));
  EXPECT_THAT(thresholds(three, -1, 0), HasSubstr("has the scale -1 in out_scale"));
  EXPECT_THAT(thresholds(list({1, 2}), 1, 0), HasSubstr("has thresholds of [2] for [1, 2, 1, 1]"));
  const auto truncated = [](float before, float bits) {
    return refused([&](Model& m) {
      m.constants["before"] = number(before);
      m.constants["bits"] = number(bits);
      m.nodes[3].op = "Trunc";
      m.nodes[3].inputs = {"y", "sw", "z", "before", "bits"};
      m.nodes[3].attributes = {};
    });
  };
  EXPECT_EQ(truncated(6, 4), "imported");
  EXPECT_THAT(truncated(3, 3), HasSubstr("[-4, 3]"));
  EXPECT_THAT(truncated(3, 4), HasSubstr("truncates 3 bits to 4; they must be 4 to 32"));
  // What strangers write: no table of 2^32 ones.
  EXPECT_THAT(refused([](Model& m) {
                m.nodes.insert(m.nodes.begin() + 1, {"p", "", "AveragePool", {"xq"}, {"xp"}, {}});
                m.nodes[1].attributes["kernel_shape"] = std::vector<std::int64_t>{65536, 65536};
                m.nodes[1].attributes["pads"] = std::vector<std::int64_t>{65535, 65535, 0, 0};
                m.nodes[1].attributes["count_include_pad"] = std::int64_t{1};
                m.nodes[3].inputs[0] = "xp";
              }),
              HasSubstr("averages windows of 4294967296 numbers in 2 channels"));
}

}  // namespace
}  // namespace kumiki::gen::onnx::few_bits_test
