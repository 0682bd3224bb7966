// SPDX-License-Identifier: Apache-2.0
// What is refused of sums before their quantiser (steps.cpp, finish.cpp), of activations and of
// windows (operators/activations.cpp, operators/window.cpp), and of a model and what its nodes read
// (walk.cpp, call.cpp), and beside it the nearest that is imported.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::refusals_steps_test {
namespace {

using namespace small;

// Sums y of d and weights of [2, 1], and the other nodes; the last one's result is quantised.
std::string behind_sums(std::vector<Node> nodes, const Constants& constants = {}) {
  Constants all{{"w", s8({2, 2}, {1, 2, 3, 4})}, {"b", s32({2}, {0, 0})}};
  for (const auto& [name, value] : constants) all[name] = value;
  nodes.insert(nodes.begin(),
               {node("DequantizeLinear", {"w", "one"}, "wd"),
                node("DequantizeLinear", {"b", "s"}, "bd"), node("Gemm", {"d", "wd", "bd"}, "y")});
  nodes.push_back(node("QuantizeLinear", {nodes.back().outputs[0], "s", "z"}, "out"));
  return said(model({-1, 2}, nodes, all));
}
// A quantiser of QONNX instead.
std::string ends_with(const std::vector<Node>& nodes, const Constants& constants = {},
                      const Dims& x = {-1, 2}) {
  return said(model(x, nodes, constants));
}

TEST(RefusalsOfSteps, Sums) {
  const Node add = node("Add", {"y", "k"}, "a");
  EXPECT_EQ(behind_sums({add}, {{"k", list({0.3F, 0.3F})}}), imported);
  const Constants large{{"k", list({0.3F, 0.3F})}, {"b", s32({2}, {0, 1 << 24})}};
  EXPECT_THAT(
      behind_sums({add}, large),
      One("node out (QuantizeLinear) follows node y, which has sums of [16777198, 16778728] in "
          "channel 1; before functions of real numbers they must be -16777216 to 16777216"));
  // Infinite, and then times 0.
  const Constants k{{"k", number(3e38F)}};
  const Node m = node("Mul", {"y", "k"}, "m"), n = node("Mul", {"m", "k"}, "n");
  EXPECT_EQ(behind_sums({m, n}, k), imported);
  EXPECT_THAT(behind_sums({m, n, node("Mul", {"n", "zero"}, "p")}, k),
              One("node out (QuantizeLinear) quantises what node y makes, which is not a number in "
                  "channel 0"));
}

TEST(RefusalsOfSteps, ScalesThatMultiplyToNothing) {
  const auto of = [](float scale) {
    return said(
        model({-1, 1},
              {node("DequantizeLinear", {"w", "ws"}, "wd"), node("MatMul", {"d", "wd"}, "y"),
               node("QuantizeLinear", {"y", "t", "z"}, "out")},
              {{"w", s8({1, 1}, {1})}, {"ws", number(scale)}, {"t", number(1e30F)}}));
  };
  EXPECT_EQ(of(1), imported);
  EXPECT_THAT(of(1e-30F), One("node out (QuantizeLinear) follows node y, whose scales multiply to "
                              "0; it must be a finite number above 0"));
}

TEST(RefusalsOfSteps, Thresholds) {
  const Constants two{{"k", reals({2, 2}, {0, 1, 0, 2})}};
  const auto count = [](const std::string& in) {
    return node(qonnx + "MultiThreshold", {in, "k"}, "out");
  };
  EXPECT_EQ(ends_with({count("d")}, two), imported);
  EXPECT_THAT(ends_with({node("Relu", {"d"}, "r"), count("r")}, two),
              One("node out (qonnx.custom_op.general.MultiThreshold) has thresholds for each "
                  "channel after a function of one number; put a quantiser between them"));
  const Node sum = node("Add", {"d", "d"}, "a");
  EXPECT_THAT(ends_with({sum, count("a")}, two),
              One("node out (qonnx.custom_op.general.MultiThreshold) has thresholds for each "
                  "channel after node a, which joins tensors; put a quantiser between them"));
  EXPECT_EQ(ends_with({sum, count("a")}, {{"k", reals({1, 2}, {0, 1})}}), imported);
}

TEST(RefusalsOfSteps, OtherRulesBehindQuantisedConstants) {
  const auto of = [](const Array& k, const std::string& scale) {
    return ends_with({node("DequantizeLinear", {"k", "one"}, "kd"), node("Add", {"d", scale}, "a"),
                      node(qonnx + "Quant", {"a", "one", "zero", "b4"}, "out")},
                     {{"k", k}, {"real", list({1, 2})}});
  };
  EXPECT_EQ(of(s8({}, {1}), "kd"), imported);
  EXPECT_EQ(of(s8({2}, {1, 2}), "real"), imported);
  EXPECT_THAT(
      of(s8({2}, {1, 2}), "kd"),
      One("node out (qonnx.custom_op.general.Quant) quantises by another rule than QuantizeLinear "
          "what node a adds to quantised constants; use float32 constants there"));
}

// n: sums as they are, of 32 bits, and r: what they stand for.
TEST(RefusalsOfSteps, NumbersOf32Bits) {
  const auto behind = [](std::vector<Node> nodes, const Constants& constants = {}) {
    Constants all{{"w", s8({2, 2}, {1, 2, 3, 4})}, {"s", number(1)}};
    for (const auto& [name, value] : constants) all[name] = value;
    nodes.insert(nodes.begin(), {node("MatMulInteger", {"q", "w", "z"}, "n"),
                                 node("Cast", {"n"}, "r", {{"to", 1}})});
    return said(model({-1, 2}, nodes, all));
  };
  const Node quantise = node("QuantizeLinear", {"a", "s", "z"}, "out");
  EXPECT_EQ(behind({}), imported);
  EXPECT_THAT(
      behind({node("Mul", {"r", "k"}, "a"), quantise}, {{"k", list({1, 2})}}),
      One("node out (QuantizeLinear) reads n of 32 bits after node a; it must have at most 16"));
  EXPECT_THAT(
      behind({node("DequantizeLinear", {"k", "s"}, "kd"), node("Add", {"r", "kd"}, "a"), quantise},
             {{"k", s8({2}, {1, 2})}}),
      One("node out (QuantizeLinear) adds a constant to n of 32 bits; they must have at most 8"));
  EXPECT_THAT(behind({node("QuantizeLinear", {"r", "s", "z"}, "out")}),
              One("node out (QuantizeLinear) reads n of 32 bits; it must have at most 8"));
}

TEST(RefusalsOfSteps, AveragesOfLargeWindows) {
  const auto average = [](std::int64_t size) {
    return said(model({-1, 1, 2, 2}, {node("AveragePool", {"d"}, "y",
                                           {{"kernel_shape", Dims{size, size}},
                                            {"pads", Dims{size, size, size, size}},
                                            {"strides", Dims{1 << 16, 1 << 16}},
                                            {"count_include_pad", 1}})}));
  };
  EXPECT_THAT(average(1 << 14), One("node y (AveragePool) averages windows of 268435456 numbers in "
                                    "1 channels; it must be at most 67108864 numbers in all"));
}

// One node behind d, quantised then.
std::string of(const std::string& op, const Attributes& attributes = {},
               std::vector<std::string> inputs = {"d"}, const Constants& constants = {}) {
  return said(model({-1, 2},
                    {node(op, std::move(inputs), "y", attributes),
                     node("QuantizeLinear", {"y", "s", "z"}, "out")},
                    constants));
}

TEST(RefusalsOfActivations, All) {
  EXPECT_EQ(of("Celu", {{"alpha", -1.0F}}), imported);
  EXPECT_THAT(of("Celu", {{"alpha", 0.0F}}),
              One("node y (Celu) has alpha = 0; it must be another number"));
  for (const std::string op : {"Elu", "Celu", "Selu", "ThresholdedRelu"})
    EXPECT_THAT(of(op, {{"alpha", NAN}}),
                One("node y (" + op + ") has alpha = nan; it must be a finite number"));
  EXPECT_THAT(of("Selu", {{"gamma", INFINITY}}),
              One("node y (Selu) has gamma = inf; it must be a finite number"));
  EXPECT_EQ(of("Gelu", {{"approximate", "tanh"}}), imported);
  EXPECT_THAT(of("Gelu", {{"approximate", "sigmoid"}}),
              One("node y (Gelu) has approximate = sigmoid; it must be none or tanh"));
  EXPECT_THAT(
      of("Gelu", {{"approximate", 1}}),
      One("node y (Gelu) has the attribute approximate of another kind; it must be a text"));
  EXPECT_THAT(of("Elu", {{"alpha", 1}}),
              One("node y (Elu) has the attribute alpha of another kind; it must be a float"));
  EXPECT_THAT(of("Elu", {{"beta", 1.0F}}),
              One("node y (Elu) has the attribute beta, which is not known here"));
  const auto p_relu = [](const Array& slope, const std::string& in = "d",
                         const std::vector<Node>& before = {}) {
    std::vector<Node> nodes = before;
    nodes.push_back(node("PRelu", {in, "k"}, "y"));
    nodes.push_back(node("QuantizeLinear", {"y", "s", "z"}, "out"));
    return said(model({-1, 2}, nodes, {{"k", slope}}));
  };
  EXPECT_EQ(p_relu(number(-1)), imported);
  EXPECT_EQ(p_relu(list({0, 0.5F})), imported);
  EXPECT_EQ(p_relu(list({1, -1})), imported);
  EXPECT_THAT(p_relu(list({1, 2, 3})), One("node y (PRelu) has input 1 (k) of [3] for [1, 2]; it "
                                           "must be one number, or one for each"));
  EXPECT_EQ(p_relu(number(-1), "r", {node("Relu", {"d"}, "r")}), imported);
  EXPECT_THAT(p_relu(list({1, 2}), "r", {node("Relu", {"d"}, "r")}),
              One("node y (PRelu) reads input 0 (r), which is not quantised"));
  EXPECT_THAT(p_relu(list({1, 2}), "x"), One("node y (PRelu) reads input 0 (x), which is not"));
}

TEST(RefusalsOfWindows, All) {
  const auto pool = [](const Attributes& attributes, const Dims& x = {-1, 1, 4, 4}) {
    Attributes all{{"kernel_shape", Dims{2, 2}}};
    for (const auto& [name, value] : attributes) all[name] = value;
    return said(model(x, {node("MaxPool", {"d"}, "y", all)}));
  };
  const std::string begin = "node y (MaxPool) ";
  EXPECT_EQ(pool({{"strides", Dims{1, 3}}, {"dilations", Dims{2, 3}}}), imported);
  EXPECT_THAT(pool({{"kernel_shape", Dims{2}}}),
              One(begin + "has the kernel [2]; it must be two numbers of 1 to 65536"));
  EXPECT_THAT(pool({{"kernel_shape", Dims{2, 65537}}}),
              One(begin + "has the kernel [2, 65537]; it must be two"));
  EXPECT_THAT(pool({{"kernel_shape", Dims{}}}),
              One(begin + "has the kernel []; it must be two numbers"));
  EXPECT_THAT(pool({{"strides", Dims{1}}}),
              One(begin + "has strides = [1]; it must be two numbers of 1 to 65536"));
  EXPECT_THAT(pool({{"dilations", Dims{1, 0}}}),
              One(begin + "has dilations = [1, 0]; it must be two numbers of 1 to 65536"));
  EXPECT_THAT(pool({{"pads", Dims{0, 0}}}),
              One(begin + "has pads = [0, 0]; it must be four numbers of 0 to 65536"));
  EXPECT_THAT(pool({{"pads", Dims{0, 0, -1, 0}}}),
              One(begin + "has pads = [0, 0, -1, 0]; it must be four"));
  EXPECT_EQ(pool({{"auto_pad", "SAME_LOWER"}}), imported);
  EXPECT_THAT(
      pool({{"auto_pad", "SAME"}}),
      One(begin + "has auto_pad = SAME; it must be NOTSET, VALID, SAME_UPPER or SAME_LOWER"));
  EXPECT_THAT(pool({{"auto_pad", 1}}),
              One(begin + "has the attribute auto_pad of another kind; it must be a text"));
  EXPECT_THAT(pool({{"ceil_mode", 1.0F}}),
              One(begin + "has the attribute ceil_mode of another kind; it must be an integer"));
  EXPECT_THAT(
      pool({{"strides", 1}}),
      One(begin + "has the attribute strides of another kind; it must be a list of integers"));
  EXPECT_THAT(
      pool({{"kernel_shape", Dims{1, 17}}, {"dilations", Dims{1, 65536}}}),
      One(begin +
          "has a kernel of 17 with a dilation of 65536; the window must be at most 1048576"));
  EXPECT_THAT(pool({{"kernel_shape", Dims{1, 16}}, {"dilations", Dims{1, 65536}}}),
              One(begin + "has a window of 983041, larger than the padded map of 4"));
  EXPECT_THAT(pool({{"kernel_shape", Dims{1, 5}}}),
              One(begin + "has a window of 5, larger than the padded map of 4"));
  EXPECT_EQ(pool({{"kernel_shape", Dims{1, 5}}, {"pads", Dims{0, 1, 0, 0}}}), imported);
}

// What is wrong with a model as a whole.
TEST(RefusalsOfModels, Ends) {
  const auto input = [](Type type, const Dims& dims) {
    Model m{.name = "m", .opsets = {{"", 21}}};
    m.inputs = {{"x", type, dims}};
    m.outputs = {{"y", type, {}}};
    m.constants = {{"s", number(0.5F)}, {"z", u8(0)}};
    m.nodes = {
        node(type == Type::f32 ? "QuantizeLinear" : "DequantizeLinear", {"x", "s", "z"}, "y")};
    return said(m);
  };
  EXPECT_EQ(input(Type::f32, {-1, 1 << 20}), imported);
  EXPECT_EQ(input(Type::u8, {7, 2}), imported);
  EXPECT_THAT(input(Type::f32, {-1, (1 << 20) + 1}),
              One("input x makes [1, 1048577]; axes must be 1 to 1048576"));
  for (const Dims& dims : {Dims{}, Dims{4}, Dims{0, 4}, Dims{1, 2, 2, 2, 2}})
    EXPECT_THAT(input(Type::f32, dims),
                One("input x has the shape " + to_string(dims) +
                    "; it must be images first, then one to three axes of a known size"));
  EXPECT_THAT(input(Type::f64, {-1, 2}), testing::HasSubstr("int8, uint8, int4 or uint4"));
  EXPECT_THAT(input(Type::s64, {-1, 2}),
              testing::HasSubstr("reads input 0 (x), an input of indices"));
  Model m = model({-1, 2}, {node("Relu", {"x"}, "y")});
  EXPECT_THAT(said(m), One("output y is not quantised; put a QuantizeLinear before the output"));
  m.outputs[0].name = "x";
  m.nodes.clear();
  EXPECT_THAT(said(m), testing::StartsWith("output x is not quantised"));
  m.outputs.clear();
  EXPECT_EQ(said(m), "no node uses the input");
  m.opsets[""] = 25;
  EXPECT_THAT(said(m), testing::StartsWith("the model is of opset 25; it must be 10 to 24"));
  m.inputs.clear();
  EXPECT_THAT(said(m), testing::HasSubstr("the model has no input; it must have one"));
}

TEST(RefusalsOfModels, WhatANodeReads) {
  EXPECT_THAT(of("Relu", {}, {}), One("node y (Relu) has no input 0"));
  EXPECT_THAT(of("Relu", {}, {"q"}), One("node y (Relu) reads input 0 (q), which is not quantised; "
                                         "it must come out of a DequantizeLinear"));
  const auto linear = [](const std::string& scale, const std::string& zero) {
    return said(model({-1, 2},
                      {node(microsoft + "QLinearSigmoid", {"q", "s", "z", scale, zero}, "y")},
                      {{"two", list({1, 2})}, {"zeros", integers(Type::u8, {2}, {1, 2})}}));
  };
  const std::string begin = "node y (com.microsoft.QLinearSigmoid) ";
  EXPECT_EQ(linear("s", "z"), imported);
  EXPECT_EQ(linear("s", ""), imported);
  EXPECT_THAT(linear("two", "z"),
              One(begin + "has input 3 (two), [2] of float32; it must be one float32"));
  EXPECT_THAT(linear("z", "z"),
              One(begin + "has input 3 (z), [] of uint8; it must be one float32"));
  EXPECT_THAT(linear("s", "zeros"),
              One(begin + "has 2 zero points in input 4 (zeros); it must have one"));
  EXPECT_THAT(linear("s", "one"),
              One(begin + "quantises to float32; it must be int8, uint8, int4 or uint4"));
  EXPECT_THAT(linear("d", "z"),
              One(begin + "has input 3 (d), which is computed; it must be a constant"));
}

}  // namespace
}  // namespace kumiki::gen::onnx::refusals_steps_test
