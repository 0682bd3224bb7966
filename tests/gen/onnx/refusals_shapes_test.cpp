// SPDX-License-Identifier: Apache-2.0
// What shapes, padding and constants of shapes refuse (operators/shapes.cpp), and beside it the
// nearest that is imported.
#include <gtest/gtest.h>

#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::refusals_shapes_test {
namespace {

using namespace small;

// One node behind d.
std::string of(const Dims& x, const std::string& op, const Attributes& attributes,
               const Constants& constants = {}, std::vector<std::string> inputs = {"d"}) {
  return said(model(x, {node(op, std::move(inputs), "y", attributes)}, constants));
}
// With a list of integers as input 1.
std::string listed(const Dims& x, const std::string& op, const Dims& integers) {
  return of(x, op, {}, {{"k", whole(integers)}}, {"d", "k"});
}

TEST(RefusalsOfShapes, ReshapeAndFlatten) {
  EXPECT_EQ(listed({-1, 4}, "Reshape", {1, 2, 2}), imported);
  EXPECT_EQ(listed({-1, 4}, "Reshape", {0, -1, 1}), imported);
  EXPECT_EQ(listed({5, 4}, "Reshape", {5, 2, 2}), imported);  // the images
  EXPECT_THAT(
      listed({-1, 4}, "Reshape", {1, 3}),
      One("node y (Reshape) makes [1, 3] of [1, 4]; it must make as many numbers as it reads"));
  EXPECT_THAT(
      listed({-1, 4}, "Reshape", {1, 2}),
      One("node y (Reshape) makes [1, 2] of [1, 4]; it must make as many numbers as it reads"));
  EXPECT_THAT(listed({-1, 4}, "Reshape", {-1, -1}), One("node y (Reshape) makes "));
  EXPECT_THAT(listed({-1, 4}, "Reshape", {}), One("node y (Reshape) makes [] of [1, 4]"));
  EXPECT_THAT(
      of({-1, 4}, "Reshape", {{"allowzero", 1}}, {{"k", whole({0, 4})}}, {"d", "k"}),
      One("node y (Reshape) makes [0, 4] of [1, 4]; it must make as many numbers as it reads"));
  EXPECT_THAT(
      listed({-1, 4}, "Reshape", {2, 2}),
      One("node y (Reshape) moves the axis of the images; keep it in front, or use a model of one "
          "image (onnxruntime.tools.make_dynamic_shape_fixed)"));
  EXPECT_THAT(listed({-1, 4}, "Reshape", {1, 2, 2, 1, 1}),
              One("output y makes [1, 2, 2, 1, 1]; it must be images first and then one to three "
                  "axes"));
  EXPECT_THAT(of({-1, 4}, "Reshape", {}, {}, {"d", "d"}),
              One("node y (Reshape) has input 1 (d), which is computed; it must be a constant"));
  EXPECT_THAT(of({-1, 4}, "Reshape", {}, {}, {"d", "s"}),
              One("node y (Reshape) has input 1 (s) of float32; it must be integers"));
  EXPECT_EQ(of({-1, 2, 2}, "Flatten", {{"axis", -2}}), imported);
  EXPECT_THAT(of({-1, 2, 2}, "Flatten", {{"axis", 4}}),
              One("node y (Flatten) has the axis 4 of [1, 2, 2]"));
  EXPECT_THAT(of({-1, 2, 2}, "Flatten", {{"axis", 2}}),
              One("node y (Flatten) moves the axis of the images; keep it in front"));
}

TEST(RefusalsOfShapes, Resize) {
  const Dims x{-1, 2, 3, 4};
  const auto by = [&](std::vector<float> scales, const Attributes& attributes = {}) {
    return of(x, "Resize", attributes, {{"k", list(std::move(scales))}}, {"d", "", "k"});
  };
  const auto to = [&](const Dims& sizes) {
    return of(x, "Resize", {}, {{"k", whole(sizes)}}, {"d", "", "", "k"});
  };
  EXPECT_EQ(by({1, 1, 2, 3}), imported);
  EXPECT_EQ(to({1, 2, 6, 4}), imported);
  EXPECT_EQ(of(x, "Upsample", {}, {{"k", list({1, 1, 2, 2})}}, {"d", "k"}), imported);
  // Until opset 10: scales are input 1, and a place has the number at or before it.
  EXPECT_EQ(of(x, "Resize", {}, {{"k", list({1, 1, 2, 2})}}, {"d", "k"}), imported);
  EXPECT_THAT(by({1, 1, 2, 2}, {{"mode", "cubic"}}),
              One("node y (Resize) has mode = cubic; it must be nearest or linear"));
  EXPECT_THAT(by({1, 1, 1.5F, 0.8F}, {{"mode", "linear"}}),
              "output y is a float32 result of node y; put a QuantizeLinear and a DequantizeLinear "
              "after it");
  EXPECT_THAT(by({1, 2, 2, 2}, {{"mode", "linear"}}),
              One("node y (Resize) makes [1, 4, 6, 8] of [1, 2, 3, 4]; only rows and columns may "
                  "change"));
  EXPECT_THAT(by({1, 1, 0.2F, 2}, {{"mode", "linear"}}),
              One("node y (Resize) makes [1, 2, 0, 8]; axes must be 1 to 1048576"));
  EXPECT_THAT(by({1, 1, 2, 2},
                 {{"mode", "linear"}, {"coordinate_transformation_mode", "tf_crop_and_resize"}}),
              One("node y (Resize) has coordinate_transformation_mode = tf_crop_and_resize with "
                  "mode = linear; it must be half_pixel, "));
  EXPECT_THAT(by({1, 1, 1.5F, 2}),
              One("node y (Resize) makes [1, 2, 4, 8] of [1, 2, 3, 4]; rows and columns must "
                  "become 1 to 1024 times as many, and nothing else may change"));
  EXPECT_THAT(to({1, 4, 3, 4}), One("node y (Resize) makes [1, 4, 3, 4] of [1, 2, 3, 4]; "));
  EXPECT_THAT(by({1, 1, 2}),
              One("node y (Resize) needs constant scales or sizes, one for each of 4 axes"));
  // By floor of the middle, the first place of each pair but the first has the number before.
  EXPECT_THAT(by({1, 1, 2, 2}, {{"nearest_mode", "floor"}}),
              One("node y (Resize) picks other numbers than each 2 times, by "
                  "coordinate_transformation_mode = half_pixel and nearest_mode = floor; export it "
                  "with asymmetric and floor"));
  EXPECT_THAT(by({1, 1, 3, 1}, {{"coordinate_transformation_mode", "align_corners"}}),
              One("node y (Resize) picks other numbers than each 3 times, by "));
  EXPECT_THAT(by({1, 1, 2, 2}, {{"nearest_mode", "up"}}),
              One("node y (Resize) has nearest_mode = up; it must be "));
}

TEST(RefusalsOfShapes, SqueezeAndUnsqueeze) {
  const Dims x{-1, 1, 3};
  EXPECT_EQ(listed(x, "Squeeze", {1}), imported);
  EXPECT_EQ(of(x, "Squeeze", {{"axes", Dims{-2}}}), imported);
  EXPECT_THAT(listed(x, "Squeeze", {3}), One("node y (Squeeze) has the axis 3; it must be 0 to 2"));
  EXPECT_THAT(listed(x, "Squeeze", {1, -2}), One("node y (Squeeze) has an axis twice"));
  EXPECT_THAT(
      of(x, "Squeeze", {}),
      One("node y (Squeeze) names no axes, so it would take that of the images: name them"));
  EXPECT_THAT(listed(x, "Squeeze", {2}),
              One("node y (Squeeze) takes axis 2 of [1, 1, 3] away; the axis must be 1"));
  EXPECT_EQ(listed(x, "Unsqueeze", {3}), imported);
  EXPECT_THAT(listed(x, "Unsqueeze", {4}),
              One("node y (Unsqueeze) has the axis 4; it must be 0 to 3"));
  EXPECT_THAT(listed(x, "Unsqueeze", {1, -4}), One("node y (Unsqueeze) has an axis twice"));
  EXPECT_THAT(listed(x, "Unsqueeze", {1, 2}),
              One("output y makes [1, 1, 1, 1, 3]; it must be images first and then one to three "
                  "axes"));
}

TEST(RefusalsOfShapes, Transpose) {
  const Dims x{-1, 2, 3};
  EXPECT_EQ(of(x, "Transpose", {{"perm", Dims{0, 2, 1}}}), imported);
  EXPECT_THAT(
      of(x, "Transpose", {{"perm", Dims{0, 1, 1}}}),
      One("node y (Transpose) has perm = [0, 1, 1]; it must have every axis from 0 to 2 once"));
  EXPECT_THAT(
      of(x, "Transpose", {{"perm", Dims{0, 1}}}),
      One("node y (Transpose) has perm = [0, 1]; it must have every axis from 0 to 2 once"));
  // Backwards, if nothing is said.
  EXPECT_THAT(of(x, "Transpose", {}),
              One("node y (Transpose) moves the axis of the images; keep it in front"));
  Model before = model(x, {node("QuantizeLinear", {"t", "s", "z"}, "y")});
  before.nodes.erase(before.nodes.begin(), before.nodes.begin() + 2);
  before.nodes.insert(before.nodes.begin(), node("Transpose", {"x"}, "t"));
  EXPECT_THAT(said(before),
              One("node t (Transpose) moves the axis of the images; keep it in front"));
  before.nodes[0].attributes["perm"] = Dims{0, 2, 1};
  EXPECT_EQ(said(before), imported);
  EXPECT_THAT(
      said(model({-1, 2, 1, 1}, {node("Add", {"d", "d"}, "a"),
                                 node("Transpose", {"a"}, "y", {{"perm", Dims{0, 2, 3, 1}}}),
                                 node("QuantizeLinear", {"y", "s", "z"}, "out")})),
      One("node y (Transpose) has an input that is not quantised yet: quantise it first"));
  // Of constants; two numbers of 4 bits share a byte.
  const auto weights = [](Type type, const Dims& dims, const std::string& bytes) {
    return said(
        model({-1, 2},
              {node("Transpose", {"w"}, "wt"), node("DequantizeLinear", {"wt", "one"}, "wd"),
               node("MatMul", {"d", "wd"}, "y")},
              {{"w", {type, dims, bytes}}}));
  };
  EXPECT_EQ(weights(Type::s8, {1, 2}, "\1\2"), imported);
  EXPECT_EQ(weights(Type::s4, {1, 2}, "\x21"), imported);
}

// Weights with a scale for each index of an axis keep that axis.
TEST(RefusalsOfShapes, WeightsWithScales) {
  const auto of_weights = [](const Dims& dims, std::int64_t axis) {
    return said(model({-1, 2},
                      {node("DequantizeLinear", {"w", "ws"}, "wd", {{"axis", axis}}),
                       node("Reshape", {"wd", "k"}, "wr"), node("MatMul", {"d", "wr"}, "y"),
                       node("QuantizeLinear", {"y", "s", "z"}, "out")},
                      {{"w", s8(dims, {1, 2, 3, 4})}, {"ws", list({1, 2})}, {"k", whole({2, 2})}}));
  };
  EXPECT_THAT(
      of_weights({2, 1, 2}, 2),
      One("node wr (Reshape) reshapes weights across the axis of their scales: reshape them "
          "before they are quantised"));
  EXPECT_THAT(of_weights({1, 2, 2}, 1), One("node wr (Reshape) reshapes weights across"));
  EXPECT_EQ(of_weights({2, 2, 1}, 1), imported);
}

TEST(RefusalsOfShapes, Pad) {
  const auto pad = [](const Attributes& attributes, const Dims& pads,
                      std::vector<std::string> more = {}, const Constants& constants = {},
                      const Dims& x = {-1, 1, 2, 2}) {
    Constants all{{"k", whole(pads)}};
    for (const auto& [name, value] : constants) all[name] = value;
    std::vector<std::string> inputs{"d", "k"};
    inputs.insert(inputs.end(), more.begin(), more.end());
    return of(x, "Pad", attributes, all, inputs);
  };
  const Dims around{0, 0, 1, 1, 0, 0, 1, 1};
  EXPECT_EQ(pad({}, around), imported);
  EXPECT_EQ(pad({{"mode", "constant"}}, around), imported);
  EXPECT_EQ(pad({{"mode", "reflect"}}, around), imported);
  EXPECT_THAT(pad({{"mode", "reflect"}}, {0, 0, 2, 1, 0, 0, 1, 1}),
              One("node y (Pad) reflects 2 numbers of 2; it must be less than there are"));
  EXPECT_THAT(pad({{"mode", "mirror"}}, around),
              One("node y (Pad) has mode = mirror; it must be constant, reflect, edge or wrap"));
  EXPECT_EQ(pad({}, {1, 1}, {"", "axes"}, {{"axes", whole({-1})}}), imported);
  EXPECT_THAT(pad({}, {1, 1}, {"", "axes"}, {{"axes", whole({2, 3})}}),
              One("node y (Pad) has 2 pads for 2 axes; it must have two for each"));
  EXPECT_THAT(pad({}, {1, 1}, {"", "axes"}, {{"axes", whole({-5})}}),
              One("node y (Pad) pads axis -5 of [1, 1, 2, 2]"));
  const std::string waits =
      "output y is a float32 result of node y; put a QuantizeLinear and a DequantizeLinear after "
      "it";
  EXPECT_THAT(pad({}, {0, 1, 1, 1, 0, 0, 1, 1}), One(waits));
  EXPECT_EQ(pad({}, {0, 0, -1, 0, 0, 0, 0, -1}), imported);
  EXPECT_THAT(pad({}, {0, 0, 1, 1}),
              One("node y (Pad) pads [1, 1, 2, 2] by [0, 0, 1, 1]; it must be two numbers for each "
                  "axis, of -65536 to 65536"));
  EXPECT_THAT(pad({}, {0, 1, 0, 1}, {}, {}, {-1, 4}), One(waits));
  EXPECT_EQ(pad({}, around, {"zero"}), imported);
  EXPECT_THAT(pad({}, around, {"one"}), One(waits));
  EXPECT_THAT(pad({}, around, {"i"}),
              One("node y (Pad) pads with [] of int8; it must be one number of the type of the "
                  "input"));
  EXPECT_THAT(of({-1, 1, 2, 2}, "Pad", {{"pads", around}, {"value", 1.0F}}), One(waits));
  // Of integers the zero point is 0.
  const auto integer = [&](std::vector<std::string> more, int value) {
    std::vector<std::string> inputs{"q", "k"};
    inputs.insert(inputs.end(), more.begin(), more.end());
    return of({-1, 1, 2, 2}, "Pad", {}, {{"k", whole(around)}, {"with", u8(value)}}, inputs);
  };
  EXPECT_EQ(integer({"with"}, 3), imported);
  EXPECT_EQ(integer({"with"}, 0), imported);
  EXPECT_EQ(integer({}, 0), imported);
  // Behind a function of one number, and behind sums.
  const auto behind = [&](const Node& n) {
    return said(model(
        {-1, 1, 2, 2},
        {n, node("Pad", {n.outputs[0], "k"}, "p"), node("QuantizeLinear", {"p", "s", "z"}, "out")},
        {{"k", whole(around)}}));
  };
  EXPECT_EQ(behind(node("Relu", {"d"}, "r")), imported);
  EXPECT_THAT(behind(node("Add", {"d", "d"}, "a")),
              One("node p (Pad) pads what is not quantised: quantise it first"));
  EXPECT_EQ(behind(node("Identity", {"d"}, "e")), imported);
}

TEST(RefusalsOfShapes, PadOfTheInputAndFarTooMuchOfIt) {
  Model m{.name = "m", .opsets = {{"", 21}}};
  m.inputs = {{"x", Type::u8, {-1, 1, 2, 2}}};
  m.outputs = {{"y", Type::u8, {}}};
  m.constants = {{"k", whole({0, 0, 1, 1, 0, 0, 1, 1})}, {"s", number(1)}, {"z", u8(3)}};
  m.nodes = {node("DequantizeLinear", {"x", "s", "z"}, "d"), node("Pad", {"d", "k"}, "y")};
  EXPECT_EQ(said(m), imported);
  m.nodes = {node("Pad", {"x", "k", "z"}, "p"), node("DequantizeLinear", {"p", "s", "z"}, "y")};
  EXPECT_EQ(said(m), imported);
  std::vector<Node> nodes;
  for (int i = 0; i < 17; ++i)
    nodes.push_back(
        node("Pad", {i == 0 ? "d" : "p" + std::to_string(i - 1), "k"}, "p" + std::to_string(i)));
  EXPECT_THAT(said(model({-1, 1, 2, 2}, nodes, {{"k", whole({0, 0, 0, 0, 0, 0, 1 << 16, 0})}})),
              testing::StartsWith(
                  "node p16 (Pad) pads a map by more than 1048576 in all; use less padding"));
}

TEST(RefusalsOfShapes, Cast) {
  const auto cast = [](const std::string& in, Attribute to) {
    return of({-1, 4}, "Cast", {{"to", std::move(to)}}, {}, {in});
  };
  EXPECT_EQ(cast("d", 1), imported);
  const std::string begin =
      "node y (Cast) changes the type of numbers; it must be float32 to float32, integers to "
      "float32, or of constants";
  EXPECT_THAT(cast("d", 10), One(begin));
  EXPECT_THAT(cast("q", 3), One(begin));
  EXPECT_THAT(cast("one", 7), testing::StartsWith("output y is not quantised"));
  EXPECT_THAT(cast("d", 1.0F),
              One("node y (Cast) has the attribute to of another kind; it must be an integer"));
}

TEST(RefusalsOfShapes, Dropout) {
  const auto dropout = [](const Array& training) {
    return of({-1, 4}, "Dropout", {}, {{"t", training}}, {"d", "", "t"});
  };
  EXPECT_EQ(dropout({Type::boolean, {}, std::string(1, '\0')}), imported);
  EXPECT_THAT(dropout({Type::boolean, {}, "\1"}),
              One("node y (Dropout) is in training mode: export the model for inference"));
  Model m = model({-1, 4}, {node("Dropout", {"d"}, "y")});
  m.nodes[2].outputs.emplace_back("mask");
  EXPECT_THAT(said(m), One("node y (Dropout) has 2 results; it must have one"));
  m.nodes[2].outputs[1] = "";
  EXPECT_EQ(said(m), imported);
}

// Constants that say a shape, as PyTorch computes them.
TEST(RefusalsOfShapes, ConstantAndGather) {
  const auto constant = [](const Attributes& attributes) {
    return said(
        model({-1, 4}, {node("Constant", {}, "k", attributes), node("Reshape", {"d", "k"}, "y")}));
  };
  EXPECT_EQ(constant({{"value", whole({1, 2, 2})}}), imported);
  EXPECT_EQ(constant({{"value_ints", Dims{1, 2, 2}}}), imported);
  EXPECT_THAT(constant({{"value", 1}}), One("node k (Constant) has a value that is not a tensor"));
  EXPECT_THAT(constant({}),
              One("node k (Constant) has none of value, value_float, value_int and value_ints"));
  EXPECT_THAT(
      constant({{"value_int", 1.0F}}),
      One("node k (Constant) has the attribute value_int of another kind; it must be an integer"));
  EXPECT_THAT(
      constant({{"value_float", 1}}),
      One("node k (Constant) has the attribute value_float of another kind; it must be a float"));
  const auto gather = [](const Array& data, const Dims& picked, const Attributes& attributes = {}) {
    return said(model(
        {-1, 4},
        {node("Gather", {"data", "picked"}, "k", attributes), node("Reshape", {"d", "k"}, "y")},
        {{"data", data}, {"picked", whole(picked)}}));
  };
  EXPECT_EQ(gather(whole({2, 1}), {-1, 0, 0}), imported);
  EXPECT_THAT(gather(whole({2, 1}), {2, 0, 0}), One("node k (Gather) picks number 2 of 2"));
  EXPECT_THAT(gather(array_of({}, Dims{2}), {0}),
              One("node k (Gather) picks out of one number; it must be a list or more"));
  EXPECT_THAT(gather(whole({2, 1}), {1, 0, 0}, {{"axis", 1}}),
              One("node k (Gather) has the axis 1 of [2]; it must be -1 to 0"));
  EXPECT_THAT(gather(list({2, 1}), {1, 0, 0}),
              One("node y (Reshape) has input 1 (k) of float32; it must be integers"));
}

}  // namespace
}  // namespace kumiki::gen::onnx::refusals_shapes_test
