// SPDX-License-Identifier: Apache-2.0
// What convolutions and products with a matrix refuse (operators/sums.cpp), and beside it the
// nearest that is imported.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::refusals_sums_test {
namespace {

using namespace small;

// A node y that reads d and weights with one scale, or those of `ws` along an axis, and
// QuantizeLinear behind it.
std::string weighted(Node y, const Dims& x, Constants all, const Constants& more, int axis) {
  for (const auto& [name, value] : more) all[name] = value;
  const bool channels = all.contains("ws");
  return said(model(x,
                    {node("DequantizeLinear", {"w", channels ? "ws" : "one"}, "wd",
                          channels ? Attributes{{"axis", axis}} : Attributes{}),
                     std::move(y), node("QuantizeLinear", {"y", "s", "z"}, "out")},
                    all));
}

// Two channels of 4 x 4 pixels, two of weights 3 x 3.
std::string conv(const Attributes& attributes, const Constants& constants = {},
                 std::vector<std::string> inputs = {"d", "wd"}, const Dims& x = {-1, 2, 4, 4}) {
  return weighted(node("Conv", std::move(inputs), "y", attributes), x,
                  {{"w", s8({2, 2, 3, 3}, Dims(36, 1))}}, constants, 1);
}

TEST(RefusalsOfSums, Conv) {
  EXPECT_EQ(conv({}), imported);
  EXPECT_THAT(conv({}, {{"w", s8({2, 2}, {1, 2, 3, 4})}}),
              One("node y (Conv) has weights of other than 1 or 2 dimensions"));
  EXPECT_THAT(
      conv({}, {}, {"d", "wd"}, {-1, 2}),
      One("node y (Conv) convolves [1, 2] with [2, 2, 3, 3]; it must be in 1 or 2 dimensions"));
  EXPECT_THAT(conv({}, {{"ws", list({1, 1})}}),
              One("node y (Conv) has scales along axis 1 of its weights; it must be axis 0, that "
                  "of the outputs"));
  EXPECT_THAT(conv({}, {}, {"d", "d"}),
              One("node y (Conv) multiplies two results: the weights must be a constant"));
  EXPECT_EQ(conv({{"kernel_shape", Dims{3, 3}}}), imported);
  EXPECT_THAT(conv({{"kernel_shape", Dims{2, 2}}}),
              One("node y (Conv) has the kernel_shape [2, 2] and weights [2, 2, 3, 3]; both must "
                  "have the same kernel"));
  EXPECT_EQ(conv({}, {{"w", s16({2, 2, 3, 3}, Dims(36, -255))}}), imported);
  EXPECT_THAT(conv({}, {{"w", s16({2, 2, 3, 3}, Dims(36, -256))}}),
              One("node y (Conv) has the weight -256; it must fit 8 bits"));
  EXPECT_EQ(conv({{"group", 2}}, {{"w", s8({2, 1, 3, 3}, Dims(18, 1))}}), imported);
  EXPECT_THAT(conv({{"group", 2}}), One("node y (Conv) has weights [2, 2, 3, 3] in 2 groups for 2 "
                                        "channels; there must be group x 2 channels"));
  EXPECT_THAT(conv({{"group", 2}}, {{"w", s8({3, 1, 3, 3}, Dims(27, 1))}}),
              One("node y (Conv) has weights [3, 1, 3, 3] in 2 groups for 2 channels"));
  EXPECT_THAT(conv({}, {{"w", s8({0, 2, 3, 3}, {})}}),
              One("node y (Conv) has weights of [0, 2, 3, 3]; it must have at least one output"));
  EXPECT_THAT(conv({}, {{"w", s8({1, 2, 0, 3}, {})}}),
              One("node y (Conv) has the kernel [0, 3]; it must be two numbers of 1 to 65536"));
}

TEST(RefusalsOfSums, Bias) {
  const auto of = [](const Array& bias, const Array& scale) {
    Model m = model(
        {-1, 2, 4, 4},
        {node("DequantizeLinear", {"w", "one"}, "wd"), node("DequantizeLinear", {"b", "bs"}, "bd"),
         node("Conv", {"d", "wd", "bd"}, "y"), node("QuantizeLinear", {"y", "s", "z"}, "out")},
        {{"w", s8({2, 2, 1, 1}, {1, 2, 3, 4})}, {"b", bias}, {"bs", scale}});
    return said(m);
  };
  EXPECT_EQ(of(s32({2}, {5, 6}), number(0.5F)), imported);
  EXPECT_THAT(of(s32({1}, {5}), number(0.5F)),
              One("node y (Conv) has 1 numbers of bias; it must have 2"));
  EXPECT_THAT(of(s32({2}, {5, 6}), number(0.25F)),
              One("node y (Conv) has a bias with the scale 0.25 in channel 0; it must be 0.5, "
                  "input x weights"));
  EXPECT_THAT(conv({}, {{"b", list({1, 2, 3})}}, {"d", "wd", "b"}),
              One("node y (Conv) has 3 numbers of bias; it must have 2"));
  EXPECT_THAT(conv({}, {{"b", s32({2}, {1, 2})}}, {"d", "wd", "b"}),
              One("node y (Conv) has input 2 (b) of int32; it must be float32"));
}

// d, three numbers, by a matrix of 3 x 2.
std::string dense(const std::string& op, const Attributes& attributes, const Constants& constants,
                  std::vector<std::string> inputs = {"d", "wd"}, const Dims& x = {-1, 3}) {
  return weighted(node(op, std::move(inputs), "y", attributes), x,
                  {{"w", s8({3, 2}, {1, 2, 3, 4, 5, 6})}}, constants, 0);
}

TEST(RefusalsOfSums, MatMulAndGemm) {
  for (const std::string op : {"MatMul", "Gemm"}) {
    EXPECT_EQ(dense(op, {}, {}), imported);
    const std::string begin = "node y (" + op + ") ";
    EXPECT_THAT(
        dense(op, {}, {{"w", s8({2, 2}, {1, 2, 3, 4})}}),
        One(begin + "multiplies [1, 3] with [2, 2]; it must be vectors along the last axis and "
                    "a matrix that fits, and Flatten makes vectors"));
    EXPECT_THAT(dense(op, {}, {{"w", s8({3}, {1, 2, 3})}}),
                One(begin + "multiplies [1, 3] with [3]; it must be vectors"));
    EXPECT_THAT(
        dense(op, {}, {}, {"d", "wd"}, {-1, 3, 2}),
        One(begin + (op == "Gemm" ? "multiplies [1, 3, 2]; it must have two axes"
                                  : "multiplies [1, 3, 2] with [3, 2]; it must be vectors")));
    EXPECT_THAT(
        dense(op, {}, {{"ws", list({1, 1, 1})}}),
        One(begin +
            "has scales along axis 0 of its weights; it must be axis 1, that of the outputs"));
    EXPECT_THAT(dense(op, {}, {{"w", s16({3, 2}, {1, 2, 300, 4, 5, 6})}}),
                One(begin + "has the weight 300; it must fit 8 bits"));
  }
  const auto gemm = [](const Attributes& attributes, const Array& bias = list({1, 2})) {
    return dense("Gemm", attributes, {{"b", bias}}, {"d", "wd", "b"});
  };
  EXPECT_EQ(gemm({}), imported);
  EXPECT_THAT(gemm({{"transA", 1}}), One("node y (Gemm) has transA = 1; it must be 0"));
  EXPECT_THAT(gemm({{"transB", 1}}), One("node y (Gemm) multiplies [1, 3] with [3, 2]"));
  EXPECT_EQ(gemm({{"alpha", -2.0F}}), imported);
  EXPECT_THAT(gemm({{"alpha", 0.0F}}),
              One("node y (Gemm) has alpha = 0; it must be a finite number other than 0"));
  EXPECT_THAT(gemm({{"alpha", INFINITY}}),
              One("node y (Gemm) has alpha = inf; it must be a finite number"));
  EXPECT_EQ(gemm({{"beta", 2.0F}}), imported);
  EXPECT_EQ(gemm({{"beta", 2.0F}}, list({1})), imported);
  EXPECT_EQ(gemm({{"beta", 0.0F}}, list({1, 2, 3})), imported);  // nobody reads it
  EXPECT_THAT(gemm({{"beta", INFINITY}}), One("node y (Gemm) has beta = inf; it must be finite"));
  EXPECT_THAT(gemm({{"beta", 2.0F}}, list({1, 2, 3})),
              One("node y (Gemm) has input 2 (b) of [3] for [1, 2]; it must be one number, or one "
                  "for each channel"));
  EXPECT_THAT(gemm({}, list({1, 2, 3})),
              One("node y (Gemm) has 3 numbers of bias; it must have 2"));
}

// QLinearConv: x with its quantiser, weights with theirs, quantiser of the result, bias.
TEST(RefusalsOfSums, QLinearConv) {
  const auto of = [](const Constants& constants) {
    Constants all{{"w", s8({2, 1, 1, 1}, {1, 2})},
                  {"ws", number(1)},
                  {"wz", s8({}, {0})},
                  {"b", s32({2}, {3, 4})}};
    for (const auto& [name, value] : constants) all[name] = value;
    return said(model({-1, 1, 2, 2},
                      {node("QLinearConv", {"q", "s", "z", "w", "ws", "wz", "s", "z", "b"}, "y")},
                      all));
  };
  const std::string begin = "node y (QLinearConv) ";
  EXPECT_EQ(of({}), imported);
  EXPECT_EQ(of({{"ws", list({1, 2})}, {"wz", s8({2}, {1, 2})}}), imported);
  EXPECT_THAT(of({{"w", s8({2, 1}, {1, 2})}}),
              One(begin + "has weights of other than 1 or 2 dimensions"));
  EXPECT_THAT(of({{"w", array_of({2, 1, 1, 1}, Dims{1, 2})}}),
              One(begin + "has weights of int64; they must have at most 8 bits"));
  EXPECT_THAT(of({{"ws", s8({}, {1})}}),
              One(begin + "has input 4 (ws) of int8; it must be float32"));
  EXPECT_THAT(of({{"ws", number(0)}}),
              One(begin + "has the scale 0 in input 4 (ws); it must be a finite number above 0"));
  EXPECT_THAT(of({{"ws", list({1, 1, 1})}}),
              One(begin + "has 3 scales and 1 zero points of its weights; it must have 1 or 2"));
  EXPECT_THAT(of({{"wz", s8({3}, {0, 0, 0})}}),
              One(begin + "has 1 scales and 3 zero points of its weights; it must have 1 or 2"));
  EXPECT_THAT(of({{"wz", number(0)}}),
              One(begin + "has input 5 (wz) of float32; it must be integers"));
  EXPECT_THAT(
      of({{"wz", u8(0)}}),
      One(begin + "has a zero point of uint8 for weights of int8; it must be of their type"));
  EXPECT_THAT(of({{"b", array_of(Dims{2}, Dims{3, 4})}}),
              One(begin + "has a bias of int64; it must be int32"));
  EXPECT_THAT(of({{"b", s32({3}, {3, 4, 5})}}),
              One(begin + "has 3 numbers of bias; it must have 2"));
  EXPECT_THAT(
      of({{"w", s8({2, 2, 1, 1}, {1, 2, 3, 4})}}),
      One(begin +
          "has weights [2, 2, 1, 1] in 1 groups for 1 channels; there must be group x 2 channels"));
}

TEST(RefusalsOfSums, QLinearMatMul) {
  const auto of = [](const Array& w, const std::string& in = "q", const std::string& to = "s") {
    return said(model({-1, 2},
                      {node("QLinearMatMul", {in, "s", "z", "w", "one", "i", to, "z"}, "y")},
                      {{"w", w}, {"two", list({1, 1})}}));
  };
  const std::string begin = "node y (QLinearMatMul) ";
  EXPECT_EQ(of(s8({2, 1}, {1, 2})), imported);
  EXPECT_THAT(of(s8({2}, {1, 2})), One(begin + "multiplies with [2]; it must be a matrix"));
  EXPECT_THAT(of(s8({1, 2}, {1, 2})),
              One(begin + "multiplies [1, 2] with [1, 2]; it must be vectors"));
  EXPECT_THAT(of(s8({2, 1}, {1, 2}), "d"),
              One(begin + "reads input 0 (d), which is not quantised; it must be integers"));
  EXPECT_THAT(of(s8({2, 1}, {1, 2}), "q", "two"),
              One(begin + "has input 6 (two), [2] of float32; it must be one float32"));
  EXPECT_THAT(of(s8({2, 1}, {1, 2}), "q", ""), One(begin + "has no input 6"));
  EXPECT_THAT(
      said(model({-1, 2}, {node("QLinearMatMul", {"q", "s", "qz", "w", "one", "i", "s", "z"}, "y")},
                 {{"w", s8({2, 1}, {1, 2})}, {"qz", s8({}, {3})}})),
      One(begin +
          "reads q, numbers of uint8, with a zero point of int8; it must be of their type"));
}

// a with its quantiser, b with its, bias, quantiser of the result.
TEST(RefusalsOfSums, QGemm) {
  const auto of = [](const Attributes& attributes, const Constants& constants,
                     const std::string& to = "s") {
    Constants all{{"w", s8({2, 1}, {1, 2})}, {"b", s32({1}, {3})}};
    for (const auto& [name, value] : constants) all[name] = value;
    return said(model({-1, 2},
                      {node(microsoft + "QGemm", {"q", "s", "z", "w", "one", "i", "b", to, "z"},
                            "y", attributes)},
                      all));
  };
  const std::string begin = "node y (com.microsoft.QGemm) ";
  EXPECT_EQ(of({}, {}), imported);
  EXPECT_EQ(of({{"transB", 1}, {"alpha", -1.0F}}, {{"w", s8({1, 2}, {1, 2})}}), imported);
  EXPECT_THAT(of({{"transA", 1}}, {}), One(begin + "has transA = 1; it must be 0"));
  EXPECT_THAT(of({}, {{"w", s8({2, 1, 1}, {1, 2})}}),
              One(begin + "multiplies with [2, 1, 1]; it must be a matrix"));
  EXPECT_THAT(of({}, {}, ""), One(begin + "gives float32 numbers; give it a scale of its result"));
  EXPECT_THAT(of({}, {{"b", s32({2}, {3, 4})}}),
              One(begin + "has 2 numbers of bias; it must have 1"));
  EXPECT_THAT(of({{"alpha", NAN}}, {}),
              One(begin + "has alpha = nan; it must be a finite number other than"));
  EXPECT_THAT(of({{"alpha", -1.0F}}, {{"b", s32({1}, {INT32_MIN})}}),
              One(begin + "has a bias of -2147483648 and alpha below 0"));
  EXPECT_EQ(of({{"alpha", -1.0F}}, {{"b", s32({1}, {-(1 << 24)})}}), imported);
}

// Sums as they are.
TEST(RefusalsOfSums, ConvIntegerAndMatMulInteger) {
  const auto of = [](const Dims& x, const std::string& op, const Array& w, const Array& zero,
                     const std::string& in = "q") {
    return said(
        model(x, {node(op, {in, "w", "qz"}, "y")}, {{"w", w}, {"qz", zero}, {"s", number(1)}}));
  };
  const std::string begin = "node y (ConvInteger) ";
  const Dims map{-1, 1, 2, 2};
  const Array w = s8({1, 1, 1, 1}, {2});
  EXPECT_EQ(of(map, "ConvInteger", w, u8(3)), imported);
  EXPECT_THAT(of(map, "ConvInteger", w, integers(Type::u8, {2}, {3, 3})),
              One(begin + "has 2 zero points in input 2 (qz); it must have one"));
  EXPECT_THAT(of(map, "ConvInteger", w, u8(4)),
              One(begin + "reads q with the scale 1 and the zero point 4; they must be those of "
                          "what makes it, 1 and 3"));
  EXPECT_THAT(of(map, "ConvInteger", w, u8(3), "d"),
              One(begin + "reads input 0 (d), which is not quantised; it must be integers"));
  EXPECT_THAT(of(map, "ConvInteger", s8({1, 1}, {2}), u8(3)),
              One(begin + "has weights of other than 1 or 2 dimensions"));
  EXPECT_THAT(of(map, "ConvInteger", array_of({1, 1, 1, 1}, Dims{2}), u8(3)),
              One(begin + "has weights of int64; they must have at most 8 bits"));
  EXPECT_EQ(of({-1, 2}, "MatMulInteger", s8({2, 1}, {1, 2}), u8(3)), imported);
  EXPECT_THAT(of({-1, 2}, "MatMulInteger", s8({2}, {1, 2}), u8(3)),
              One("node y (MatMulInteger) multiplies with [2]; it must be a matrix"));
  // 255 * 252 * 262 is above 2^24, 261 is not.
  const auto ones = [&](std::int64_t n) {
    return of({-1, n}, "MatMulInteger", s16({n, 1}, Dims(static_cast<std::size_t>(n), 255)), u8(3));
  };
  EXPECT_EQ(ones(261), imported);
  EXPECT_THAT(ones(262), One("node y (MatMulInteger) has sums of [-200430, 16836120]; without a "
                             "quantiser after them they must be -16777216 to 16777216"));
}

// Weights of float32 that a quantiser follows are quantised as onnxruntime does it.
TEST(RefusalsOfSums, TransposedConvolutionsOfFloat32) {
  const auto of = [](std::vector<Node> behind, std::vector<float> weights = {0.5F, -0.3F}) {
    behind.insert(behind.begin(),
                  node("ConvTranspose", {"d", "w", "b"}, "c", {{"kernel_shape", Dims{1, 2}}}));
    return model({-1, 1, 1, 3}, behind,
                 {{"w", reals({1, 1, 1, 2}, weights)}, {"b", list({0.7F})}, {"k", list({0.1F})}});
  };
  const auto quantised = [](std::vector<Node> nodes) {
    nodes.push_back(
        node("QuantizeLinear", {nodes.empty() ? "c" : nodes.back().outputs[0], "s", "z"}, "y"));
    return nodes;
  };
  EXPECT_EQ(said(of(quantised({}))), imported);
  EXPECT_EQ(said(of(quantised({}), {0, 0})), imported);
  EXPECT_EQ(said(of(quantised({node("Relu", {"c"}, "r")}))), imported);
  EXPECT_THAT(said(of(quantised({node("LeakyRelu", {"c"}, "r")}))),
              One("node r (LeakyRelu) follows node c with float32 weights, which onnxruntime "
                  "quantises only before a quantiser; put one between them"));
  EXPECT_THAT(said(of({})), One("output c is a float32 result of node c"));
  EXPECT_THAT(said(of({node(qonnx + "BipolarQuant", {"c", "one"}, "y")})),
              One("node y (qonnx.custom_op.general.BipolarQuant) follows node c with float32 "
                  "weights; quantise them, or put a QuantizeLinear behind it"));
}

// Sums of integers where float32 rounds, and float32 itself.
TEST(RefusalsOfSums, TransposedConvolutionsThatFloat32Decides) {
  const Model m =
      model({-1, 1, 1, 3},
            {node("DequantizeLinear", {"w", "ws"}, "wd"), node("ConvTranspose", {"d", "wd"}, "c"),
             node("QuantizeLinear", {"c", "ws", "z"}, "y")},
            {{"w", s8({1, 1, 1, 2}, {3, -5})}, {"ws", number(0.1F)}});
  const Imported exact = import_model(m, "m"), sums = import_model(m, "m", Averages::sums);
  const auto is_float = [](const graph::Node& n) {
    return std::holds_alternative<graph::ConvTranspose>(n.op);
  };
  EXPECT_EQ(std::ranges::count_if(exact.graph.nodes, is_float), 1);
  EXPECT_THAT(exact.notes, testing::IsEmpty());
  EXPECT_EQ(std::ranges::count_if(sums.graph.nodes, is_float), 0);
  EXPECT_THAT(sums.notes,
              testing::ElementsAre(testing::HasSubstr("steps of its results lie so near "
                                                      "to a sum")));
}

}  // namespace
}  // namespace kumiki::gen::onnx::refusals_sums_test
