// SPDX-License-Identifier: Apache-2.0
// What sums of tensors, joins, pools and averages refuse (operators/joins.cpp), and beside it the
// nearest that is imported.
#include <gtest/gtest.h>

#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::refusals_joins_test {
namespace {

using namespace small;

const Dims map{-1, 2, 2, 2};

// Nodes, and QuantizeLinear of the last one.
std::string quantised(const Dims& x, std::vector<Node> nodes, const Constants& constants = {}) {
  nodes.push_back(node("QuantizeLinear", {nodes.back().outputs[0], "s", "z"}, "out"));
  return said(model(x, nodes, constants));
}
// One node behind d.
std::string of(const Dims& x, const std::string& op, const Attributes& attributes = {},
               const std::string& in = "d") {
  return quantised(x, {node(op, {in}, "y", attributes)});
}

TEST(RefusalsOfJoins, Add) {
  const Node pool = node("MaxPool", {"d"}, "p", {{"kernel_shape", Dims{2, 2}}});
  EXPECT_EQ(quantised(map, {node("Add", {"d", "d"}, "y")}), imported);
  EXPECT_EQ(quantised(map, {pool, node("Add", {"d", "p"}, "y")}), imported);
  EXPECT_THAT(quantised({1, 2, 3, 3}, {pool, node("Add", {"d", "p"}, "y")}),
              One("node y (Add) joins [1, 2, 3, 3] and [1, 2, 2, 2]; the axes must be equal, or "
                  "of one place"));
  EXPECT_THAT(quantised(map, {node("Add", {"d", "x"}, "y")}),
              One("node y (Add) reads input 1 (x), which is not quantised; it must come out of a "
                  "DequantizeLinear"));
  // Quantised constants, as onnxruntime's QLinearAdd.
  const auto with = [](const Array& k, const Array& scale, const Array& zero) {
    return quantised(map,
                     {node("DequantizeLinear", {"k", "ks", "kz"}, "kd", {{"axis", 0}}),
                      node("Add", {"d", "kd"}, "y")},
                     {{"k", k}, {"ks", scale}, {"kz", zero}});
  };
  const Dims channels{2, 1, 1};
  EXPECT_EQ(with(s16(channels, {-128, 255}), number(1), s8({}, {1})), imported);
  EXPECT_THAT(with(s16(channels, {-128, 256}), number(1), s8({}, {1})),
              One("node y (Add) adds the constant 256; it must fit 8 bits"));
  EXPECT_THAT(with(s8(channels, {1, 2}), list({1, 2}), s8({2}, {0, 0})),
              One("node y (Add) adds input 1 (kd) with 2 scales; it must have one"));
  EXPECT_EQ(with(s8({2}, {1, 2}), number(1), s8({}, {0})), imported);
  EXPECT_EQ(with(s8({1, 1, 2}, {1, 2}), number(1), s8({}, {0})), imported);
  EXPECT_EQ(with(s8({2, 1}, {1, 2}), number(1), s8({}, {0})), imported);
  EXPECT_THAT(with(s8({3, 1}, {1, 2, 3}), number(1), s8({}, {0})),
              One("node y (Add) joins [1, 2, 2, 2] and [3, 1]; the axes must be equal, or of one "
                  "place"));
  EXPECT_THAT(with(s16({2, 1}, {-128, 255}), number(1), s8({}, {0})),
              One("node y (Add) adds the constants input 1 (kd) from -128 to 255 with the zero "
                  "point 0; they must be numbers of 8 bits"));
}

TEST(RefusalsOfJoins, ABiasThatIsAdded) {
  const auto biased = [](float scale, std::int64_t bias, std::int64_t more) {
    return quantised(
        {-1, 1},
        {node("DequantizeLinear", {"w", "one"}, "wd"), node("DequantizeLinear", {"b", "s"}, "bd"),
         node("DequantizeLinear", {"c", "cs"}, "cd"), node("Gemm", {"d", "wd", "bd"}, "g"),
         node("Add", {"cd", "g"}, "y")},
        {{"w", s8({1, 1}, {1})},
         {"b", s32({1}, {bias})},
         {"c", s32({1}, {more})},
         {"cs", number(scale)}});
  };
  EXPECT_EQ(biased(0.5F, 5, -6), imported);
  EXPECT_THAT(biased(0.25F, 5, -6), One("node y (Add) adds a bias with the scale 0.25 in channel "
                                        "0; it must be 0.5, input x weights"));
  EXPECT_THAT(biased(0.5F, INT32_MIN, -1), One("node y (Add) adds a bias that leaves 32 bits"));
  EXPECT_THAT(biased(0.5F, INT32_MAX, 1), One("node y (Add) adds a bias that leaves 32 bits"));
}

// a, its scale and zero point, b, scale, zero point, scale and zero point of the result.
TEST(RefusalsOfJoins, QLinearAdd) {
  const auto of_constants = [](const Array& k) {
    return said(
        model(map, {node(microsoft + "QLinearAdd", {"k", "one", "", "q", "s", "z", "s", "z"}, "y")},
              {{"k", k}}));
  };
  const std::string begin = "node y (com.microsoft.QLinearAdd) ";
  EXPECT_EQ(of_constants(u8(200)), imported);
  EXPECT_EQ(of_constants(s8({2, 1, 1}, {-1, 2})), imported);
  EXPECT_THAT(of_constants(s16({}, {-129})),
              One(begin + "adds the constant -129; it must fit 8 bits"));
  EXPECT_EQ(of_constants(s8({2, 2}, {1, 2, 3, 4})), imported);
  EXPECT_THAT(of_constants(s8({1, 1, 1, 1, 2}, {1, 2})),
              One(begin + "makes [1, 1, 2, 2, 2]; it must be images first and then one to three "
                          "axes"));
  EXPECT_THAT(of_constants(number(1)),
              One(begin + "has input 0 (k) of float32; it must be integers"));
  const auto of_two = [](const std::string& b) {
    return said(
        model(map, {node("MaxPool", {"q"}, "p", {{"kernel_shape", Dims{2, 2}}}),
                    node(microsoft + "QLinearAdd", {"q", "s", "z", b, "s", "z", "s", "z"}, "y")}));
  };
  EXPECT_EQ(of_two("q"), imported);
  EXPECT_EQ(of_two("p"), imported);
  EXPECT_THAT(of_two("d"),
              One(begin + "reads input 3 (d), which is not quantised; it must be integers"));
}

// Scales are legal one by one, and one over the other is none that can be multiplied with.
TEST(RefusalsOfJoins, ScalesTooFarApart) {
  const Constants far{{"huge", number(0x1p127F)}, {"tiny", number(0x1p-126F)}, {"k", u8(5)}};
  const auto of_two = [&](const std::string& in, const std::string& out) {
    return said(
        model(map,
              {node("QuantizeLinear", {"d", in, "z"}, "q2"),
               node(microsoft + "QLinearAdd", {"q2", in, "z", "q2", in, "z", out, "z"}, "y")},
              far));
  };
  const std::string rest =
      "; it must be from 2^-126 to 2^20; give them scales that are nearer to each other";
  EXPECT_EQ(of_two("huge", "tiny"), "node y takes the ratio inf of the scales of q2 and y" + rest);
  EXPECT_EQ(of_two("tiny", "huge"), "node y takes the ratio 0 of the scales of q2 and y" + rest);
  const auto of_constant = [&](const std::string& scale, const std::string& out) {
    return said(model(
        map, {node(microsoft + "QLinearAdd", {"q", "s", "z", "k", scale, "z", out, "z"}, "y")},
        far));
  };
  EXPECT_EQ(of_constant("huge", "s"),
            "node y (com.microsoft.QLinearAdd) computes with scales of 0.5 and 1.7014118e+38 for "
            "results with one of 0.5: their ratios to that of the result must be from 2^-126 to "
            "2^20; give them scales that are nearer to each other");
  EXPECT_THAT(of_constant("s", "tiny"),
              One("node y (com.microsoft.QLinearAdd) computes with scales of 0.5 and 0.5 for "));
  EXPECT_THAT(
      said(model(map,
                 {node(microsoft + "QLinearMul", {"q", "s", "z", "k", "huge", "z", "s", "z"}, "y")},
                 far)),
      One("node y (com.microsoft.QLinearMul) computes with scales of 0.5 and 1.7014118e+38 for "
          "results with one of 0.5: their product over that of the result must be from 2^-126 to "
          "2^14"));
  const auto of_window = [&](const std::string& in, const std::string& out) {
    return said(model({1, 2, 4, 4},
                      {node("Relu", {"d"}, "r"), node("QuantizeLinear", {"r", in, "z"}, "q2"),
                       node("DequantizeLinear", {"q2", in, "z"}, "d2"),
                       node("AveragePool", {"d2"}, "a", {{"kernel_shape", Dims{2, 2}}}),
                       node("QuantizeLinear", {"a", out, "z"}, "y")},
                      far));
  };
  EXPECT_THAT(of_window("huge", "tiny"), One("node a averages with the scales 1.7014118e+38 and "));
  EXPECT_THAT(of_window("huge", "s"), One("node a averages with the scales 1.7014118e+38 and 0.5"));
  const auto of_average = [&](const std::string& in, const std::string& out) {
    return said(model(
        map,
        {node("Relu", {"d"}, "r"), node("QuantizeLinear", {"r", in, "z"}, "q2"),
         node("DequantizeLinear", {"q2", in, "z"}, "d2"), node("GlobalAveragePool", {"d2"}, "g"),
         node("QuantizeLinear", {"g", out, "z"}, "y")},
        far));
  };
  EXPECT_THAT(of_average("huge", "tiny"), One("node g multiplies sums by inf"));
  EXPECT_THAT(of_average("tiny", "huge"), One("node g multiplies sums by 0"));
}

TEST(RefusalsOfJoins, Concat) {
  const auto concat = [](const std::string& other, std::int64_t axis, const Dims& x = map) {
    return quantised(
        x, {node("MaxPool", {"d"}, "p", {{"kernel_shape", Dims{2, 2}}}),
            node("Flatten", {"d"}, "f"), node("Concat", {"d", other}, "y", {{"axis", axis}})});
  };
  EXPECT_EQ(concat("d", 1), imported);
  EXPECT_EQ(concat("d", -3), imported);
  EXPECT_EQ(concat("d", 2), imported);
  EXPECT_EQ(concat("d", -1), imported);
  for (const int axis : {0, 4})
    EXPECT_THAT(concat("d", axis),
                One("node y (Concat) joins [1, 2, 2, 2] along axis " + std::to_string(axis) +
                    "; it must be 1 to 3, behind the images"));
  EXPECT_THAT(concat("f", 1), One("node y (Concat) joins tensors of different numbers of axes"));
  EXPECT_THAT(concat("p", 1), One("node y (Concat) joins [1, 2, 2, 2] and [1, 2, 1, 1]; the shapes "
                                  "must differ in axis 1 alone"));
  EXPECT_EQ(concat("x", 1), imported);
  // Of integers with one quantiser.
  const auto of_integers = [](const std::string& scale) {
    return said(model(map, {node("QuantizeLinear", {"d", scale, "z"}, "q2"),
                            node("Concat", {"q", "q2"}, "y", {{"axis", 1}})}));
  };
  EXPECT_EQ(of_integers("s"), imported);
  EXPECT_THAT(of_integers("one"), One("node y (Concat) reads q2 with the scale 0.5 and the zero "
                                      "point 3; they must be those of what makes it, 1 and 3"));
  // Of constants, which are shapes.
  const auto of_constants = [](const Array& a, const Array& b, std::int64_t axis) {
    return said(
        model({-1, 4},
              {node("Concat", {"a", "b"}, "k", {{"axis", axis}}), node("Reshape", {"d", "k"}, "y")},
              {{"a", a}, {"b", b}}));
  };
  EXPECT_EQ(of_constants(whole({1}), whole({2, 2}), 0), imported);
}

// Scale and zero point of the result, then each input with its own.
TEST(RefusalsOfJoins, QLinearConcat) {
  const auto concat = [](std::vector<std::string> inputs, std::int64_t axis = 1) {
    return said(
        model(map, {node("Flatten", {"q"}, "f"),
                    node(microsoft + "QLinearConcat", std::move(inputs), "y", {{"axis", axis}})}));
  };
  const std::string begin = "node y (com.microsoft.QLinearConcat) ";
  EXPECT_EQ(concat({"s", "z", "q", "s", "z"}), imported);
  EXPECT_THAT(concat({"s", "z", "q", "s"}),
              One(begin + "has 4 inputs; it must have 2, and 3 for each tensor"));
  EXPECT_THAT(concat({"s", "z"}),
              One(begin + "has 2 inputs; it must have 2, and 3 for each tensor"));
  EXPECT_THAT(concat({"s", "z", "q", "s", "z", "f", "s", "z"}),
              One(begin + "joins tensors of different numbers of axes"));
  EXPECT_EQ(concat({"s", "z", "q", "s", "z"}, 3), imported);
  EXPECT_THAT(concat({"s", "z", "q", "s", "z"}, 4),
              One(begin + "joins [1, 2, 2, 2] along axis 4; it must be 1 to 3, behind the images"));
}

TEST(RefusalsOfJoins, Pools) {
  const Attributes kernel{{"kernel_shape", Dims{2, 2}}};
  for (const std::string op : {"MaxPool", "AveragePool"}) {
    EXPECT_EQ(of(map, op, kernel), imported);
    EXPECT_THAT(
        of({-1, 4}, op, kernel),
        One("node y (" + op + ") reads [1, 4]; it must be images x channels x rows x columns"));
  }
  Attributes order = kernel;
  order["storage_order"] = 0;
  EXPECT_EQ(of(map, "MaxPool", order), imported);
  order["storage_order"] = 1;
  EXPECT_THAT(of(map, "MaxPool", order),
              One("node y (MaxPool) has storage_order = 1; it must be 0"));
  EXPECT_THAT(quantised(map, {node("Add", {"d", "d"}, "a"), node("MaxPool", {"a"}, "y", kernel)}),
              One("node y (MaxPool) reads input 0 (a), the float32 result of node a"));
  EXPECT_EQ(quantised(map, {node("Neg", {"d"}, "a"), node("MaxPool", {"a"}, "y", kernel)}),
            imported);
  Attributes pads = kernel;
  pads["pads"] = Dims{1, 1, 0, 0};
  EXPECT_THAT(of(map, "AveragePool", pads),
              One("node y (AveragePool) averages windows of different counts of numbers at its "
                  "edges; use no padding, or count_include_pad = 1 without ceil_mode"));
  pads["count_include_pad"] = 1;
  EXPECT_EQ(of(map, "AveragePool", pads), imported);
  const auto linear = [](const Attributes& attributes, const Dims& x = map) {
    return said(model(
        x, {node(microsoft + "QLinearAveragePool", {"q", "s", "z", "s", "z"}, "y", attributes)}));
  };
  EXPECT_EQ(linear(kernel), imported);
  Attributes last = kernel;
  last["channels_last"] = 1;
  EXPECT_THAT(linear(last), One("node y (com.microsoft.QLinearAveragePool) has channels_last = 1; "
                                "it must be 0, as the quantiser writes it"));
  EXPECT_THAT(
      linear(kernel, {-1, 4}),
      One("node y (com.microsoft.QLinearAveragePool) reads [1, 4]; it must be images x channels"));
}

TEST(RefusalsOfJoins, GlobalAverages) {
  EXPECT_EQ(of(map, "GlobalAveragePool"), imported);
  EXPECT_THAT(of({-1, 4}, "GlobalAveragePool"), One("node y (GlobalAveragePool) reads [1, 4]; it "
                                                    "must be images x channels x rows x columns"));
  EXPECT_EQ(of(map, "ReduceMean", {{"axes", Dims{-1, 2}}}), imported);
  EXPECT_THAT(of(map, "ReduceMean", {{"axes", Dims{1}}}),
              One("node y (ReduceMean) averages along axes [1]; they must be all behind the "
                  "channels, 2 and 3"));
  EXPECT_THAT(of(map, "ReduceMean"), One("node y (ReduceMean) averages along axes []"));
  EXPECT_THAT(of({-1, 4}, "ReduceMean", {{"axes", Dims{1}}}),
              One("node y (ReduceMean) reads [1, 4]; it must be images x channels x rows"));
  const auto linear = [](const Attributes& attributes, const Dims& x = map) {
    return said(model(x, {node(microsoft + "QLinearGlobalAveragePool", {"q", "s", "z", "s", "z"},
                               "y", attributes)}));
  };
  const std::string begin = "node y (com.microsoft.QLinearGlobalAveragePool) ";
  EXPECT_EQ(linear({{"channels_last", 0}}), imported);
  EXPECT_THAT(linear({{"channels_last", 1}}),
              One(begin + "has channels_last = 1; it must be 0, as the quantiser writes it"));
  EXPECT_THAT(linear({}, {-1, 4}), One(begin + "reads [1, 4]; it must be images x channels"));
}

TEST(RefusalsOfJoins, ArgMaxAndSoftmax) {
  const auto arg_max = [](const Attributes& attributes, const Dims& x = {-1, 4},
                          const std::vector<Node>& before = {}) {
    std::vector<Node> nodes = before;
    nodes.push_back(
        node("ArgMax", {before.empty() ? "d" : before.back().outputs[0]}, "y", attributes));
    return said(model(x, nodes));
  };
  EXPECT_EQ(arg_max({{"axis", -1}}), imported);
  EXPECT_THAT(
      arg_max({}),
      One("node y (ArgMax) reads [1, 4]; it must be the last axis of a vector for each image"));
  EXPECT_THAT(arg_max({{"axis", 1}}, map),
              One("node y (ArgMax) reads [1, 2, 2, 2]; it must be the last axis of a vector"));
  EXPECT_THAT(arg_max({{"axis", 1}, {"select_last_index", 1}}),
              One("node y (ArgMax) has select_last_index = 1; it must be 0"));
  EXPECT_THAT(arg_max({{"axis", 1}}, {-1, 4}, {node("Softmax", {"d"}, "p")}),
              One("node y (ArgMax) follows Softmax, which may make numbers equal; use ArgMax of "
                  "its input"));
  EXPECT_EQ(of({-1, 4}, "Softmax"), imported);
  EXPECT_THAT(of({-1, 4}, "Softmax", {}, "x"),
              One("node y (Softmax) reads input 0 (x), which is not quantised"));
}

}  // namespace
}  // namespace kumiki::gen::onnx::refusals_joins_test
