// SPDX-License-Identifier: Apache-2.0
// What clips, factors, offsets and batch normalisations refuse (operators/unary.cpp), and beside it
// the nearest that is imported.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "gen/onnx/layout.h"
#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::refusals_unary_test {
namespace {

using namespace small;

// Sums of two channels, y, behind d of two; the other nodes, and QuantizeLinear of the last one.
Model behind_sums(std::vector<Node> nodes, const Constants& constants = {}) {
  Constants all{{"w", s8({2, 2, 1, 1}, {1, 2, 3, 4})}};
  for (const auto& [name, value] : constants) all[name] = value;
  nodes.insert(nodes.begin(),
               {node("DequantizeLinear", {"w", "one"}, "wd"), node("Conv", {"d", "wd"}, "y")});
  nodes.push_back(node("QuantizeLinear", {nodes.back().outputs[0], "s", "z"}, "out"));
  return model({-1, 2, 2, 1}, nodes, all);
}
// One node behind d with a constant, quantised then.
std::string with(const std::string& op, const Array& k, bool first = false,
                 const Dims& x = {-1, 2, 2, 1}) {
  std::vector<std::string> inputs{"d", "k"};
  if (first) std::swap(inputs[0], inputs[1]);
  return said(model(x, {node(op, inputs, "y"), node("QuantizeLinear", {"y", "s", "z"}, "out")},
                    {{"k", k}}));
}
// The same with quantised constants.
std::string with_quantised(const std::vector<Node>& before, const std::string& op, const Array& k,
                           const Array& scale, const Dims& x = {-1, 2, 2, 1}) {
  std::vector<Node> nodes = before;
  nodes.push_back(node("DequantizeLinear", {"k", "ks"}, "kd", {{"axis", 0}}));
  nodes.push_back(node(op, {before.empty() ? "d" : before.back().outputs[0], "kd"}, "y"));
  nodes.push_back(node("QuantizeLinear", {"y", "s", "z"}, "out"));
  return said(model(x, nodes, {{"k", k}, {"ks", scale}}));
}

TEST(RefusalsOfUnary, ClipOfRealNumbers) {
  const auto clip = [](const Array& low, const Array& high) {
    return said(model(
        {-1, 2},
        {node("Clip", {"d", "low", "high"}, "y"), node("QuantizeLinear", {"y", "s", "z"}, "out")},
        {{"low", low}, {"high", high}}));
  };
  EXPECT_EQ(clip(number(1), number(1)), imported);
  EXPECT_THAT(clip(number(3), number(1)),
              One("node y (Clip) clips to 3 to 1; the lower number must come first"));
  EXPECT_THAT(clip(number(NAN), number(1)),
              One("node y (Clip) clips to nan to 1; the lower number must come first"));
  EXPECT_THAT(clip(number(0), list({1, 2})),
              One("node y (Clip) has input 2 (high) of [2]; it must be one float32"));
  EXPECT_THAT(clip(whole({0}), number(1)),
              One("node y (Clip) has input 1 (low) of [1]; it must be one float32"));
}

TEST(RefusalsOfUnary, ClipOfIntegers) {
  const auto clip = [](const std::string& in, const Array& low, const Array& high) {
    return said(
        model({-1, 2}, {node("Clip", {in, "low", "high"}, "y")}, {{"low", low}, {"high", high}}));
  };
  EXPECT_EQ(clip("q", u8(0), u8(15)), imported);
  EXPECT_THAT(clip("q", u8(15), u8(0)),
              One("node y (Clip) clips to 15 to 0; the lower number must come first"));
  EXPECT_THAT(clip("q", u8(0), integers(Type::u8, {2}, {1, 2})),
              One("node y (Clip) has input 2 (high) of [2]; it must be one integer"));
  EXPECT_THAT(clip("q", number(0), u8(1)),
              One("node y (Clip) has input 1 (low) of float32; it must be integers"));
  const auto sums = [](const std::vector<Node>& behind) {
    std::vector<Node> nodes{node("MatMulInteger", {"q", "w", "z"}, "n")};
    nodes.insert(nodes.end(), behind.begin(), behind.end());
    return said(model({-1, 2}, nodes,
                      {{"w", s8({2, 1}, {1, 2})}, {"low", s32({}, {0})}, {"s", number(1)}}));
  };
  EXPECT_EQ(sums({}), imported);
  EXPECT_THAT(sums({node("Clip", {"n", "low"}, "y")}),
              One("node y (Clip) clips integers of more than 8 bits; they must have at most 8"));
  // Of numbers of 32 bits there is no table.
  const Node cast = node("Cast", {"n"}, "c", {{"to", 1}});
  EXPECT_EQ(sums({cast}), imported);
  EXPECT_THAT(sums({cast, node("Sigmoid", {"c"}, "y")}),
              One("node y (Sigmoid) reads what is not quantised"));
  EXPECT_THAT(sums({cast, node("Mul", {"c", "one"}, "y")}),
              One("node y (Mul) reads n of 32 bits; it must have at most 8"));
}

TEST(RefusalsOfUnary, NoNumbers) {
  const auto of = [](const std::string& op, const Attributes& attributes) {
    return said(model({-1, 2}, {node(op, {"d"}, "y", attributes),
                                node("QuantizeLinear", {"y", "s", "z"}, "out")}));
  };
  EXPECT_EQ(of("LeakyRelu", {{"alpha", -0.5F}}), imported);
  EXPECT_THAT(of("LeakyRelu", {{"alpha", NAN}}),
              One("node y (LeakyRelu) makes a value that is not a number"));
  EXPECT_EQ(of("HardSigmoid", {{"beta", 1.0F}}), imported);
  EXPECT_THAT(of("HardSigmoid", {{"beta", NAN}}),
              One("node out (QuantizeLinear) quantises a value that is not a number"));
  EXPECT_THAT(of("HardSigmoid", {{"alpha", INFINITY}}),
              One("node y (HardSigmoid) makes a value that is not a number"));
}

TEST(RefusalsOfUnary, PairsOfResults) {
  const auto of = [](const std::string& op, const std::vector<Node>& before, const std::string& a,
                     const std::string& b) {
    std::vector<Node> nodes = before;
    nodes.push_back(node(op, {a, b}, "y"));
    nodes.push_back(node("QuantizeLinear", {"y", "s", "z"}, "out"));
    return said(model({-1, 2, 3, 3}, nodes));
  };
  const std::vector<Node> mean{node("GlobalAveragePool", {"d"}, "m"),
                               node("QuantizeLinear", {"m", "s", "z"}, "mq"),
                               node("DequantizeLinear", {"mq", "s", "z"}, "g"),
                               node("Softplus", {"g"}, "e"),
                               node("Transpose", {"d"}, "t", {{"perm", Dims{0, 2, 3, 1}}}),
                               node("GlobalAveragePool", {"d"}, "real")};
  const std::string not_a_number = "node y (Div) makes a value that is not a number";
  for (const char* op : {"Mul", "Sub", "Div", "Max", "Min"}) {
    EXPECT_EQ(of(op, mean, "t", "t"), op == std::string("Div") ? not_a_number : imported) << op;
    EXPECT_EQ(of(op, mean, "d", "g"), imported) << op;
    EXPECT_EQ(of(op, mean, "g", "d"), imported) << op;
  }
  EXPECT_THAT(of("Mul", mean, "d", "t"),
              One("node y (Mul) joins [1, 2, 3, 3] and [1, 3, 3, 2]; the axes must be equal, or of "
                  "one place"));
  EXPECT_THAT(of("Mul", mean, "d", "real"),
              One("node y (Mul) reads input 1 (real), the float32 result of node real; put a "
                  "QuantizeLinear and a DequantizeLinear between them"));
  EXPECT_THAT(of("Mul", mean, "d", "e"),
              One("node y (Mul) joins a function whose last bits are not known with another "
                  "result; put a quantiser between them"));
}

// Functions of one number are a table, whatever is between them; tables that nobody reads go.
TEST(FunctionsOfOneNumber, AreOneTable) {
  const auto nodes_of = [](std::vector<Node> nodes) {
    nodes.push_back(node("QuantizeLinear", {"y", "s", "z"}, "out"));
    std::vector<std::string> names;
    for (const graph::Node& n : import_model(model({1, 2, 3, 3}, nodes), "m.onnx").graph.nodes)
      names.emplace_back(graph::name_of(n.op));
    return names;
  };
  const std::vector<Node> quantised{node("Sigmoid", {"d"}, "g"),
                                    node("QuantizeLinear", {"g", "s", "z"}, "gq"),
                                    node("DequantizeLinear", {"gq", "s", "z"}, "h")};
  const auto with = [](std::vector<Node> nodes, const Node& last) {
    nodes.push_back(last);
    return nodes;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(nodes_of({node("Sigmoid", {"d"}, "g"), node("Mul", {"d", "g"}, "y")}),
              ElementsAre("lookup"));
  EXPECT_THAT(nodes_of(with(quantised, node("Mul", {"d", "h"}, "y"))), ElementsAre("lookup"));
  EXPECT_THAT(nodes_of(with(quantised, node("Sub", {"h", "d"}, "y"))), ElementsAre("lookup"));
  EXPECT_THAT(nodes_of({node("MaxPool", {"d"}, "p", {{"kernel_shape", Dims{1, 1}}}),
                        node("Mul", {"d", "p"}, "y")}),
              ElementsAre("max_pool", "mul"));
}

TEST(RefusalsOfUnary, FactorsAndOffsets) {
  EXPECT_EQ(with("Mul", number(2)), imported);
  EXPECT_EQ(with("Mul", reals({2, 1, 1}, {2, 3})), imported);
  EXPECT_EQ(with("Mul", list({2, 3})), imported);
  EXPECT_EQ(with("Add", reals({1, 2, 2, 1}, {1, 2, 3, 4})), imported);
  EXPECT_THAT(with("Add", reals({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6})),
              One("node y (Add) joins [1, 2, 2, 1] and [1, 2, 3, 1]; the axes must be equal, or of "
                  "one place"));
  EXPECT_THAT(with("Mul", reals({1, 1, 1, 1, 1}, {1})),
              One("node y (Mul) makes [1, 1, 2, 2, 1]; it must be images first and then one to "
                  "three axes"));
  std::vector<float> many(257);
  std::iota(many.begin(), many.end(), 0.0F);
  EXPECT_THAT(with("Sub", list(many)),
              One("node y (Sub) has input 1 (k) of 257 different values beside a result; it must "
                  "have at most 256"));
  EXPECT_THAT(with("Mul", whole({2})),
              One("node y (Mul) has input 1 (k) of int64; it must be float32"));
  EXPECT_THAT(with("Sub", number(INFINITY)),
              One("node y (Sub) has inf in input 1 (k); numbers must be finite"));
  EXPECT_THAT(with("Sub", number(NAN), true),
              One("node y (Sub) has nan in input 0 (k); numbers must be finite"));
  EXPECT_EQ(with("Div", number(2)), imported);
  EXPECT_THAT(with("Div", reals({2, 1, 1}, {1, 0})),
              One("node y (Div) divides by 0 in input 1 (k)"));
  EXPECT_THAT(with("Div", reals({1, 2, 2, 1}, {1, 2, 0, 4})),
              One("node y (Div) divides by 0 in input 1 (k)"));
  EXPECT_EQ(with("Div", reals({2, 1, 1}, {1, 2}), true), imported);
  EXPECT_EQ(with("Max", number(2)), imported);
  EXPECT_EQ(with("Min", number(2), true), imported);
  EXPECT_EQ(with("Max", list({2, 3})), imported);
  EXPECT_EQ(with("Pow", number(2)), imported);
  EXPECT_THAT(with("Pow", list({2, 3})), One("node y (Pow) has 2 exponents; it must have one"));
  // Behind a function of one number: one number, or a quantiser between them.
  const auto behind = [](const Array& k) {
    return said(model({-1, 2},
                      {node("Relu", {"d"}, "r"), node("Mul", {"r", "k"}, "y"),
                       node("QuantizeLinear", {"y", "s", "z"}, "out")},
                      {{"k", k}}));
  };
  EXPECT_EQ(behind(number(2)), imported);
  EXPECT_THAT(behind(list({2, 3})), One("node y (Mul) reads input 0 (r), which is not quantised"));
}

// What stands before a quantiser, behind sums.
TEST(RefusalsOfUnary, BehindSums) {
  const Constants k{{"k", reals({2, 1, 1}, {2, 3})}, {"flat", whole({1, -1})}};
  EXPECT_EQ(said(behind_sums({node("Mul", {"y", "k"}, "m")}, k)), imported);
  Constants k4 = k;
  k4["k"] = list({1, 2, 3, 4});
  EXPECT_THAT(
      said(behind_sums({node("Reshape", {"y", "flat"}, "r"), node("Mul", {"r", "k"}, "m")}, k4)),
      One("node m (Mul) has a number for each channel of [1, 4], which were [1, 2, 2, 1]; put a "
          "quantiser before the reshape"));
  EXPECT_EQ(
      said(behind_sums({node("Reshape", {"y", "flat"}, "r"), node("Mul", {"r", "one"}, "m")}, k)),
      imported);
  EXPECT_THAT(
      said(behind_sums({node("Add", {"d", "d"}, "a"), node("Mul", {"a", "k"}, "m")}, k)),
      One("node m (Mul) follows node a, which joins tensors; put a quantiser between them"));
  EXPECT_THAT(said(behind_sums({node("Concat", {"d", "d"}, "a", {{"axis", 1}}),
                                node("Add", {"a", "one"}, "m")})),
              One("node m (Add) follows node a, which joins tensors"));
  EXPECT_EQ(said(behind_sums({node("Add", {"d", "d"}, "a"), node("Relu", {"a"}, "m")})), imported);
  EXPECT_THAT(said(behind_sums({node("Sigmoid", {"y"}, "m")})),
              One("node m (Sigmoid) reads input 0 (y), the float32 result of node y; put a "
                  "QuantizeLinear and a DequantizeLinear between them"));
}

// The host multiplies real numbers of the input as they come.
TEST(RefusalsOfUnary, BeforeTheFirstQuantiser) {
  const auto before = [](const Array& k, const std::vector<Node>& nodes) {
    Model m =
        model({-1, 1, 2, 2}, nodes, {{"k", k}, {"flat", whole({1, 4})}, {"size", whole({2, 2})}});
    m.nodes.erase(m.nodes.begin(), m.nodes.begin() + 2);
    m.nodes.push_back(node("QuantizeLinear", {m.nodes.back().outputs[0], "s", "z"}, "out"));
    m.outputs[0].name = "out";
    return said(m);
  };
  const Node reshape = node("Reshape", {"x", "flat"}, "r"), relu = node("Relu", {"x"}, "r"),
             mul = node("Mul", {"r", "k"}, "m");
  EXPECT_EQ(before(number(2), {reshape, mul}), imported);
  EXPECT_THAT(before(list({1, 2, 3, 4}), {reshape, mul}),
              One("node m (Mul) has a number for each channel after another shape or order of the "
                  "float input; move it before that, or use one number for all"));
  EXPECT_THAT(before(number(2), {relu, mul}),
              One("node m (Mul) follows a pool, a clip or padding of the float input; move it "
                  "before them, or put a quantiser between them"));
  EXPECT_EQ(before(number(2), {node("Mul", {"x", "k"}, "m"), node("Relu", {"m"}, "r")}), imported);
  EXPECT_THAT(before(number(2), {node("Sigmoid", {"x"}, "m")}),
              One("node m (Sigmoid) reads input 0 (x), which is not quantised; it must come out of "
                  "a DequantizeLinear"));
}

TEST(RefusalsOfUnary, QuantisedConstants) {
  const Dims channels{2, 1, 1};
  EXPECT_EQ(with_quantised({}, "Mul", s8(channels, {2, 3}), number(1)), imported);
  EXPECT_EQ(with_quantised({}, "Mul", s16(channels, {2, 255}), number(1)), imported);
  EXPECT_THAT(with_quantised({}, "Mul", s16(channels, {2, 256}), number(1)),
              One("node y (Mul) has the factor 256; it must fit 8 bits"));
  EXPECT_THAT(with_quantised({}, "Mul", s8(channels, {2, 3}), list({1, 2})),
              One("node y (Mul) multiplies [1, 2, 2, 1] with quantised constants of [2, 1, 1]; it "
                  "must be a map and one number, or one for each channel, with one scale"));
  EXPECT_EQ(with_quantised({}, "Mul", s8({1, 2, 2, 1}, {1, 2, 3, 4}), number(1)), imported);
  EXPECT_EQ(with_quantised({}, "Mul", s8({2}, {2, 3}), number(1), {-1, 2}), imported);
  const Node relu = node("Relu", {"d"}, "r");
  EXPECT_EQ(with_quantised({}, "Add", s8(channels, {2, 3}), number(1)), imported);
  EXPECT_EQ(with_quantised({relu}, "Add", s8({}, {2}), number(1)), imported);
  EXPECT_THAT(with_quantised({relu}, "Add", s8(channels, {2, 3}), number(1)),
              One("node y (Add) takes input 1 (kd), quantised constants; use float32 constants"));
}

TEST(RefusalsOfUnary, OfTwoConstants) {
  const auto folded = [](const std::string& op, const Array& a, const Array& b) {
    return said(model({-1, 2, 2, 1},
                      {node(op, {"a", "b"}, "k"), node("Mul", {"d", "k"}, "y"),
                       node("QuantizeLinear", {"y", "s", "z"}, "out")},
                      {{"a", a}, {"b", b}}));
  };
  EXPECT_EQ(folded("Sub", reals({2, 1, 1}, {2, 3}), number(1)), imported);
  EXPECT_THAT(folded("Add", list({1, 2}), list({1, 2, 3})),
              One("node k (Add) joins constants of [2] and [3]; their shapes must fit"));
  EXPECT_THAT(folded("Div", number(1), number(0)),
              One("node k (Div) makes a constant that is not a finite number"));
  EXPECT_THAT(folded("Mul", filled({1 << 15, 1}, 1), filled({1 << 14}, 1)),
              One("node k (Mul) makes a constant of more than 2^28 numbers"));
  EXPECT_THAT(folded("Mul", whole({1}), number(1)),
              One("node k (Mul) joins constants of int64 and float32; they must have one type"));
}

TEST(RefusalsOfUnary, BatchNormalization) {
  const auto norm = [](const Constants& constants, const Attributes& attributes = {},
                       const std::string& in = "y", std::vector<Node> before = {}) {
    Constants all;
    for (const char* name : {"factor", "bias", "mean", "variance"}) all[name] = list({1, 1});
    for (const auto& [name, value] : constants) all[name] = value;
    before.push_back(
        node("BatchNormalization", {in, "factor", "bias", "mean", "variance"}, "n", attributes));
    return said(behind_sums(before, all));
  };
  EXPECT_EQ(norm({}), imported);
  EXPECT_THAT(
      norm({}, {{"training_mode", 1}}),
      One("node n (BatchNormalization) is in training mode: export the model for inference"));
  EXPECT_THAT(norm({{"mean", list({1})}}),
              One("node n (BatchNormalization) has input 3 (mean) of [1] for 2 channels; it must "
                  "have one number for each"));
  EXPECT_EQ(norm({{"variance", list({1, 0})}}), imported);
  EXPECT_THAT(norm({{"variance", list({1, 0})}}, {{"epsilon", 0.0F}}),
              One("node n (BatchNormalization) has the variance 0 in channel 1; it must be a "
                  "number above 0"));
  EXPECT_THAT(norm({{"factor", list({3e38F, 1})}, {"variance", list({1e-6F, 1})}}),
              One("node n (BatchNormalization) has factors that are not finite numbers"));
  EXPECT_THAT(norm({{"flat", whole({-1})}}, {}, "r", {node("Reshape", {"y", "flat"}, "r")}),
              One("node r (Reshape) moves the axis of the images; keep it in front"));
  EXPECT_THAT(norm({}, {}, "a", {node("Add", {"d", "d"}, "a")}),
              One("node n (BatchNormalization) follows node a, which joins tensors; put a "
                  "quantiser between them"));
  EXPECT_EQ(norm({}, {}, "d"), imported);
  EXPECT_THAT(norm({}, {}, "r", {node("Relu", {"d"}, "r")}),
              One("node n (BatchNormalization) reads input 0 (r), which is not quantised"));
}

// a with its quantiser, b with its, quantiser of the result.
TEST(RefusalsOfUnary, QLinearMul) {
  const auto of = [](const Array& k) {
    return said(
        model({-1, 2, 2, 1},
              {node(microsoft + "QLinearMul", {"q", "s", "z", "k", "one", "", "s", "z"}, "y")},
              {{"k", k}}));
  };
  const std::string begin = "node y (com.microsoft.QLinearMul) ";
  EXPECT_EQ(of(u8(2)), imported);
  EXPECT_EQ(of(s8({2, 1, 1}, {1, -2})), imported);
  EXPECT_THAT(of(s16({}, {256})), One(begin + "has the factor 256; it must fit 8 bits"));
  EXPECT_EQ(of(s8({2}, {1, 2})), imported);
  EXPECT_THAT(
      of(s8({3, 1}, {1, 2, 3})),
      One(begin + "joins [1, 2, 2, 1] and [3, 1]; the axes must be equal, or of one place"));
}

}  // namespace
// What stands behind a refused node is looked at as well: a detector is not repaired operator by
// operator. Equal problems are one line with their count.
TEST(RefusalsOfChains, AreToldAtOnceByOperator) {
  std::vector<Node> nodes;
  std::string at = "d";
  for (int block = 0; block < 5; ++block) {
    const auto name = [&](const char* what) { return fmt::format("{}{}", what, block); };
    nodes.push_back(node("Sigmoid", {at}, name("gate")));
    nodes.push_back(node("Gemm", {at, name("gate")}, name("silu")));
    nodes.push_back(node("Relu", {name("silu")}, at = name("relu")));
  }
  nodes.push_back(node("Einsum", {at}, "sum"));
  nodes.push_back(node("Mul", {"sum", "s"}, "scaled"));  // by a constant: nothing is wrong with it
  nodes.push_back(node("QuantizeLinear", {"scaled", "s", "z"}, "y"));
  EXPECT_EQ(
      said(model({1, 2, 4, 4}, nodes)),
      "node silu0 (Gemm) multiplies two results: the weights must be a constant; the same of 4 "
      "more: silu1, silu2, silu3, …\n"
      "node sum (Einsum) is not supported; `kumiki import --operators` lists what is\n"
      "refused in all: 6 of 20 nodes (1 Einsum, 5 Gemm)");
}

// onnxruntime has two kernels for integers, which agree if all parts are multiples of 1/128.
TEST(NotesOfMeans, StandWhereKernelsOfResizeDiffer) {
  const auto notes = [](float factor) {
    Model m =
        model({1, 1, 3, 4},
              {node("Resize", {"q", "", "k"}, "r"), node("DequantizeLinear", {"r", "s", "z"}, "y")},
              {{"k", list({1, 1, factor, 2})}});
    m.nodes[2].attributes["mode"] = std::string("linear");
    return import_model(m, "m.onnx").notes;
  };
  EXPECT_THAT(notes(2), testing::IsEmpty());
  EXPECT_THAT(notes(3), testing::ElementsAre(testing::StartsWith(
                            "node r: onnxruntime resizes integers in float32 or in steps")));
}

TEST(RefusalsOfChains, WhatRepeatsItsStepsIsToldWhatToDo) {
  for (const char* op : {"LSTM", "GRU", "RNN"})
    EXPECT_THAT(said(model({1, 2, 4, 4}, {node(op, {"d"}, "y")})),
                testing::StartsWith(
                    fmt::format("node y ({}) repeats its steps; write them out for a fixed "
                                "length (Conv, Add, Mul, Sigmoid, Tanh) before you quantise",
                                op)));
}

// A note of a mean in float32 stands where it may matter, with the share of the sums: halves of
// four numbers in the same scale, none where no sum comes near to a half.
TEST(NotesOfMeans, StandWhereAResultMayDiffer) {
  const auto imported = [](float scale, Averages averages, std::vector<Node> nodes) {
    nodes.push_back(node("ReduceMean", {nodes.empty() ? "d" : "p", "axes"}, "m"));
    nodes.push_back(node("QuantizeLinear", {"m", "s2", "z"}, "y"));
    return import_model(
        model({1, 2, 2, 2}, nodes, {{"axes", whole({2, 3})}, {"s2", number(scale)}}), "m.onnx",
        averages);
  };
  const auto note = ::testing::ElementsAre(
      "node m: onnxruntime averages in float32: a result may differ by one at 25 % of the sums "
      "that "
      "can be reached");
  const Imported exact = imported(0.5F, Averages::as_onnxruntime, {});
  EXPECT_THAT(exact.notes, ::testing::IsEmpty());
  EXPECT_TRUE(std::holds_alternative<graph::AveragePool>(exact.graph.nodes.back().op));
  EXPECT_THAT(imported(0.5F, Averages::sums, {}).notes, note);
  EXPECT_THAT(imported(0.6180339F, Averages::sums, {}).notes, ::testing::IsEmpty());
}

// Where a mean's numbers are in memory: by pixel between convolutions, which decides the order of
// the additions; not known behind an operator that transposes do not pass.
TEST(LayoutOfMeans, IsThatOfConvolutions) {
  const auto layout = [](std::vector<Node> before, const std::string& in, std::vector<Node> after) {
    std::vector<Node> nodes = std::move(before);
    nodes.push_back(node("ReduceMean", {in}, "m"));
    const std::size_t mean = nodes.size() - 1;
    nodes.insert(nodes.end(), after.begin(), after.end());
    const Model m = model({1, 2, 4, 4}, nodes, {{"k", whole({0})}});
    return layout_of_mean(m, m.nodes[m.nodes.size() - nodes.size() + mean]);
  };
  const Node conv = node("Conv", {"d", "w"}, "c"), behind = node("Conv", {"r", "w"}, "e"),
             relu = node("Relu", {"m"}, "r"), flat = node("Flatten", {"m"}, "r");
  EXPECT_EQ(layout({conv}, "c", {relu, behind}), Layout::by_pixel);
  EXPECT_EQ(layout({conv, node("Sigmoid", {"c"}, "s"), node("Mul", {"c", "s"}, "p")}, "p",
                   {relu, behind}),
            Layout::by_pixel);
  EXPECT_EQ(layout({conv}, "c", {}), Layout::by_channel);
  EXPECT_EQ(layout({conv}, "c", {relu}), Layout::by_channel);
  EXPECT_EQ(layout({conv}, "c", {flat, behind}), Layout::by_channel);
  EXPECT_EQ(layout({}, "d", {relu, behind}), Layout::by_channel);
  EXPECT_EQ(layout({conv, node("Concat", {"c", "d"}, "p", {{"axis", 1}})}, "p", {relu, behind}),
            Layout::by_channel);
  EXPECT_EQ(layout({conv, node("Add", {"c", "k"}, "p")}, "p", {relu, behind}), Layout::by_pixel);
  EXPECT_EQ(layout({conv, node("Slice", {"c"}, "p")}, "p", {relu, behind}), Layout::unknown);
  EXPECT_EQ(
      layout({conv, node("Slice", {"c"}, "t"), node("Add", {"t", "d"}, "p")}, "p", {relu, behind}),
      Layout::unknown);
}

}  // namespace kumiki::gen::onnx::refusals_unary_test
