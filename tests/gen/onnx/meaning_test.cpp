// SPDX-License-Identifier: Apache-2.0
// Models whose numbers are easily read in another way: what the import makes of them, by values
// worked out by hand, and what it refuses since it has no such meaning here.
#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/graph/quantise.h"
#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::meaning_test {
namespace {

using namespace small;

// Of one image of such real numbers, which q takes in halves, the first output in real numbers.
std::vector<float> computed(const Model& m, const std::vector<float>& image) {
  const Imported imported = import_model(m, "m.onnx");
  const graph::TensorId out = imported.outputs[0].tensor;
  std::vector<std::int32_t> numbers;
  for (const float x : image)
    numbers.push_back(graph::quantised(imported.graph.tensors[imported.graph.input], x).number);
  std::vector<float> reals;
  for (const std::int32_t n : graph::Interpreter(imported.graph).run_all(numbers, out, 1))
    reals.push_back(graph::real_value(imported.graph.tensors[out], n));
  return reals;
}

std::vector<Node> finished(std::vector<Node> nodes, const std::string& from) {
  nodes.push_back(node("QuantizeLinear", {from, "s", "z"}, "yq"));
  nodes.push_back(node("DequantizeLinear", {"yq", "s", "z"}, "out"));
  return nodes;
}

// (1 + 3) / 2 + 4 and (2 + 4) / 2 + 4: a mean is divided before anything is added.
TEST(Meaning, ABiasBehindAMean) {
  const Model m = model({1, 1, 2, 2},
                        finished({node("DequantizeLinear", {"b", "s"}, "bd"),
                                  node("AveragePool", {"d"}, "a", {{"kernel_shape", Dims{2, 1}}}),
                                  node("Add", {"a", "bd"}, "y")},
                                 "y"),
                        {{"b", s8({1, 1, 1}, {8})}});
  EXPECT_EQ(computed(m, {1, 2, 3, 4}), (std::vector<float>{6, 7}));
}

// 2 (1 + 2) + 8: what is added behind alpha is not multiplied by it.
TEST(Meaning, ABiasBehindAlpha) {
  const auto with = [](float scale) {
    return model(
        {1, 2},
        finished({node("DequantizeLinear", {"w", "one"}, "wd"),
                  node("DequantizeLinear", {"b", "bs"}, "bd"),
                  node("Gemm", {"d", "wd"}, "a", {{"alpha", 2.0F}}), node("Add", {"a", "bd"}, "y")},
                 "y"),
        {{"w", s8({2, 1}, {1, 1})}, {"b", s8({1}, {8})}, {"bs", number(scale)}});
  };
  EXPECT_EQ(computed(with(1), {1, 2}), (std::vector<float>{14}));
  EXPECT_THAT(said(with(0.5F)), One("node y (Add) adds a bias with the scale 0.5 in channel 0; it "
                                    "must be 1, input x weights x alpha"));
}

TEST(Meaning, ABiasForEachImageIsNoneForEachOutput) {
  const auto with = [](const Dims& bias) {
    return said(model(
        {2, 2},
        finished({node("DequantizeLinear", {"w", "one"}, "wd"),
                  node("DequantizeLinear", {"b", "s"}, "bd"), node("Gemm", {"d", "wd", "bd"}, "y")},
                 "y"),
        {{"w", s8({2, 2}, {1, 2, 3, 4})}, {"b", s32(bias, {8, 9})}}));
  };
  EXPECT_EQ(with({2}), imported);
  EXPECT_EQ(with({1, 2}), imported);
  EXPECT_THAT(
      with({2, 1}),
      One("node y (Gemm) has a bias of [2, 1]; it must have one number for each of 2 outputs"));
}

// Sums keep their axes until they are quantised.
TEST(Meaning, SumsThatAreReshapedAcrossTheImages) {
  const auto with = [](const Dims& shape) {
    return said(
        model({1, 1, 2, 2},
              finished({node("DequantizeLinear", {"w", "one"}, "wd"),
                        node("Conv", {"d", "wd"}, "c"), node("Reshape", {"c", "shape"}, "r")},
                       "r"),
              {{"w", s8({2, 1, 1, 1}, {1, 2})}, {"shape", whole(shape)}}));
  };
  EXPECT_EQ(with({1, 8}), imported);
  EXPECT_THAT(with({4, 2}),
              One("output out makes [4, 2]; it must be images first and then one to three axes"));
}

TEST(Meaning, AxesThatMoveBehindSoftmax) {
  const auto with = [](const Dims& order) {
    return said(model({1, 2, 3}, {node("Softmax", {"d"}, "p"),
                                  node("Transpose", {"p"}, "t", {{"perm", order}})}));
  };
  EXPECT_EQ(with({0, 1, 2}), imported);
  EXPECT_THAT(with({0, 2, 1}), One("node t (Transpose) moves axes after what is left to the host"));
}

// Of a model of two images their axis is none like the others; of one image it is.
TEST(Meaning, TheAxisOfTheImages) {
  const auto with = [](std::int64_t images, const Node& n) {
    return said(model({images, 4}, finished({n}, "y"),
                      {{"front", whole({0})}, {"row", whole({1, -1})}, {"both", whole({2, -1})}}));
  };
  const std::string refused = "moves the axis of the images, which are 2; keep it in front";
  for (const Node& n :
       {node("Flatten", {"d"}, "y", {{"axis", 0}}), node("Unsqueeze", {"d", "front"}, "y"),
        node("Reshape", {"d", "row"}, "y")}) {
    EXPECT_EQ(with(1, n), imported) << n.op;
    EXPECT_EQ(with(-1, n), imported) << n.op;
    EXPECT_THAT(with(2, n), One("node y (" + n.op + ") " + refused));
  }
  EXPECT_EQ(with(2, node("Reshape", {"d", "both"}, "y")), imported);
  // Twice the first number of a shape: four images, or two.
  const auto times = [](std::int64_t images) {
    return computed(model({images, 1}, finished({node("Shape", {"d"}, "shape", {{"end", 1}}),
                                                 node("Cast", {"shape"}, "f", {{"to", 1}}),
                                                 node("Mul", {"d", "f"}, "y")},
                                                "y")),
                    {3});
  };
  EXPECT_EQ(times(2), (std::vector<float>{6}));
  EXPECT_EQ(times(1), (std::vector<float>{3}));
}

// onnxruntime refuses such a convolution and makes another shape of such a pool.
TEST(Meaning, SamePaddingAndDilations) {
  const auto with = [](const Attributes& more) {
    Attributes all{{"kernel_shape", Dims{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}};
    for (const auto& [name, value] : more) all[name] = value;
    return said(model({1, 1, 4, 4}, finished({node("MaxPool", {"d"}, "y", all)}, "y")));
  };
  EXPECT_EQ(with({}), imported);
  EXPECT_EQ(with({{"dilations", Dims{1, 1}}}), imported);
  EXPECT_THAT(with({{"dilations", Dims{2, 1}}}),
              One("node y (MaxPool) has auto_pad = SAME_UPPER with dilations"));
}

// Up to 255 of them, as numbers without a sign.
TEST(Meaning, ManyThresholds) {
  std::vector<float> begins;
  for (int i = 0; i < 255; ++i) begins.push_back(static_cast<float>(i) / 2);
  const Model m = model({1, 2}, {node(qonnx + "MultiThreshold", {"d", "k"}, "y")},
                        {{"k", reals({1, 255}, begins)}});
  EXPECT_EQ(computed(m, {-1, 100}), (std::vector<float>{0, 201}));
}

// They crashed.
TEST(Meaning, ThingsOfNoSize) {
  EXPECT_THAT(
      said(model({1, 2},
                 {node("DequantizeLinear", {"w", "one"}, "wd"), node("MatMul", {"d", "wd"}, "y")},
                 {{"w", s8({2, 0}, {})}})),
      One("node y (MatMul) has weights of [2, 0]; it must have at least one output"));
  EXPECT_THAT(said(model({1, 2}, {node(qonnx + "Quant", {"k", "none", "zero", "b4"}, "y")},
                         {{"k", list({1, 2})}, {"none", reals({0}, {})}})),
              One("node y (qonnx.custom_op.general.Quant) has no scale; it must have one"));
  EXPECT_THAT(said(model({1, 1, 1, 1048570}, {node("Pad", {"d", "pads"}, "y")},
                         {{"pads", whole({0, 0, 0, 0, 0, 0, 0, 65536})}})),
              One("output y makes [1, 1, 1, 1114106]; axes must be 1 to 1048576"));
}

// Nothing of a number is cut off.
TEST(Meaning, AZeroPointOf32Bits) {
  const auto with = [](std::int64_t zero) {
    return said(model({1, 2}, {node("MatMulInteger", {"q", "w", "z", "wz"}, "y")},
                      {{"w", s8({2, 1}, {1, 2})}, {"wz", whole({zero})}, {"s", number(1)}}));
  };
  EXPECT_THAT(
      with(std::int64_t{1} << 32),
      testing::HasSubstr("has the zero point 4294967296 in input 3 (wz); it must fit 8 bits"));
}

}  // namespace
}  // namespace kumiki::gen::onnx::meaning_test
