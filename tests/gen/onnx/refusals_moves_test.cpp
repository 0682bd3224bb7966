// SPDX-License-Identifier: Apache-2.0
// What operators that move numbers refuse (gen/operators/pick, transpose), what constants refuse
// (fold.cpp), and beside it the nearest that is imported.
#include <gtest/gtest.h>

#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::refusals_moves_test {
namespace {

using namespace small;

const Dims map{-1, 4, 2, 6};

// One node behind d, with lists of integers as its further inputs.
std::string of(const Dims& x, const std::string& op, const std::vector<Dims>& lists,
               const Attributes& attributes = {}, std::size_t results = 1) {
  Constants constants;
  std::vector<std::string> inputs{"d"};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    inputs.push_back("k" + std::to_string(i));
    constants[inputs.back()] = whole(lists[i]);
  }
  Model m = model(x, {node(op, inputs, "y", attributes)}, constants);
  for (std::size_t i = 1; i < results; ++i)
    m.nodes.back().outputs.push_back("y" + std::to_string(i));
  return said(m);
}

TEST(RefusalsOfMoves, Slice) {
  EXPECT_EQ(of(map, "Slice", {{1}, {3}, {1}}), imported);
  EXPECT_EQ(of(map, "Slice", {{-1}, {-99}, {3}, {-2}}), imported);
  EXPECT_EQ(of(map, "Slice", {{0, 1}, {1, 99}}), imported);  // of the first axes; the image stays
  EXPECT_THAT(of(map, "Slice", {{1}, {3}, {4}}),
              One("node y (Slice) has the axis 4 of [1, 4, 2, 6]; it must be -4 to 3"));
  EXPECT_THAT(of(map, "Slice", {{1}, {3}, {1}, {0}}),
              One("node y (Slice) has a step of 0; it must be another number"));
  EXPECT_THAT(of(map, "Slice", {{1, 1}, {3}, {1}}),
              One("node y (Slice) has 2 starts, 1 ends, 1 axes and 2 steps; they must be as many"));
  EXPECT_THAT(of(map, "Slice", {{3}, {3}, {1}}),
              One("node y (Slice) picks [1, 0, 2, 6] of [1, 4, 2, 6]; it must pick at least one"));
  EXPECT_THAT(of(map, "Slice", {{0}, {0}, {0}}),
              One("node y (Slice) moves the axis of the images"));
}

TEST(RefusalsOfMoves, Split) {
  EXPECT_EQ(of(map, "Split", {{1, 3}}, {{"axis", 1}}, 2), imported);
  EXPECT_EQ(of(map, "Split", {}, {{"axis", 3}}, 3), imported);
  EXPECT_THAT(of(map, "Split", {{1, 2}}, {{"axis", 1}}, 2),
              One("node y (Split) splits axis 1 of [1, 4, 2, 6] into [1, 2]; it must be 2 parts "
                  "that sum up to 4"));
  EXPECT_THAT(of(map, "Split", {}, {{"axis", 1}, {"num_outputs", 3}}, 2),
              One("node y (Split) has num_outputs = 3 and 2 outputs"));
}

TEST(RefusalsOfMoves, GatherExpandTile) {
  EXPECT_EQ(of(map, "Gather", {{3, -4}}, {{"axis", 1}}), imported);
  EXPECT_THAT(of(map, "Gather", {{4}}, {{"axis", 1}}), One("node y (Gather) picks number 4 of 4"));
  EXPECT_THAT(of(map, "Gather", {{0}}, {{"axis", 5}}),
              One("node y (Gather) has the axis 5 of [1, 4, 2, 6]; it must be -4 to 3"));
  EXPECT_THAT(of(map, "Gather", {{0, 0}}), One("node y (Gather) moves the axis of the images"));
  EXPECT_EQ(of({-1, 1, 2}, "Expand", {{3, 2}}), imported);
  EXPECT_THAT(of({-1, 2, 2}, "Expand", {{3, 2}}),
              One("node y (Expand) makes [3, 2] of [1, 2, 2]; axes that become longer must have "
                  "the size 1"));
  EXPECT_EQ(of({-1, 1, 2}, "Tile", {{1, 2, 3}}), imported);
  EXPECT_THAT(
      of({-1, 1, 2}, "Tile", {{1, 2}}),
      One("node y (Tile) repeats [1, 1, 2] [1, 2] times; it must be a number for each axis"));
}

TEST(RefusalsOfMoves, BlocksOfPixels) {
  EXPECT_EQ(of(map, "DepthToSpace", {}, {{"blocksize", 2}}), imported);
  EXPECT_EQ(of(map, "SpaceToDepth", {}, {{"blocksize", 2}}), imported);
  EXPECT_THAT(of(map, "DepthToSpace", {}, {{"blocksize", 3}}),
              One("node y (DepthToSpace) makes blocks of 3 x 3 of 4 channels; they must be a "
                  "multiple of 9"));
  EXPECT_THAT(of(map, "DepthToSpace", {}, {{"blocksize", 2}, {"mode", std::string("RCD")}}),
              One("node y (DepthToSpace) has mode = RCD; it must be DCR or CRD"));
  EXPECT_THAT(of(map, "DepthToSpace", {}),
              One("node y (DepthToSpace) has blocksize = 0; it must be 1 to 1024"));
  EXPECT_THAT(of(map, "SpaceToDepth", {}, {{"blocksize", 3}}),
              One("node y (SpaceToDepth) makes channels of blocks of 3 x 3 of [1, 4, 2, 6]; rows "
                  "and columns must be a multiple of 3"));
}

// Between operators that move numbers there may be more axes, and that of one image may move.
TEST(RefusalsOfMoves, MoreAxes) {
  const auto through = [](std::int64_t images, const std::string& op) {
    return said(model(
        {images, 4, 2, 6},
        {node("Reshape", {"d", "k"}, "r"),
         node("Transpose", {"r"}, "t", {{"perm", Dims{2, 0, 1, 3, 4}}}),
         node(op,
              op == "Reshape" ? std::vector<std::string>{"t", "l"} : std::vector<std::string>{"t"},
              "y")},
        {{"k", whole({0, 2, 2, 2, 6})}, {"l", whole({1, 4, 2, 6})}}));
  };
  EXPECT_EQ(through(1, "Reshape"), imported);
  EXPECT_THAT(
      through(-1, "Reshape"),
      One("node t (Transpose) moves the axis of the images; keep it in front, or use a model "
          "of one image"));
  EXPECT_THAT(through(1, "Relu"),
              One("node y (Relu) reads input 0 (t) of [2, 1, 2, 2, 6]; it must be images first and "
                  "then one to three axes: reshape it"));
  EXPECT_THAT(through(1, "Identity"),
              One("output y makes [2, 1, 2, 2, 6]; it must be images first and then one to three "
                  "axes"));
}

// Arithmetic with constants; its result is a shape.
TEST(RefusalsOfMoves, Constants) {
  const auto folded = [](const std::string& op, const std::vector<Array>& constants,
                         const Attributes& attributes = {}) {
    Constants all;
    std::vector<std::string> inputs;
    for (const Array& c : constants) {
      inputs.push_back("k" + std::to_string(inputs.size()));
      all[inputs.back()] = c;
    }
    return said(
        model({-1, 4}, {node(op, inputs, "k", attributes), node("Reshape", {"d", "k"}, "y")}, all));
  };
  const Array one_zero = whole({1, 0}), ones = whole({1, 1});
  EXPECT_EQ(folded("Mul", {whole({1, 2}), whole({1, 2})}), imported);
  EXPECT_THAT(folded("Div", {ones, one_zero}), One("node k (Div) divides a constant by 0"));
  EXPECT_THAT(folded("Mod", {ones, one_zero}), One("node k (Mod) divides a constant by 0"));
  EXPECT_THAT(folded("Mod", {ones, ones}, {{"fmod", 1}}),
              One("node k (Mod) has fmod = 1 of constants; it must be 0"));
  EXPECT_THAT(folded("Pow", {ones, whole({-1})}),
              One("node k (Pow) has a negative exponent of integers"));
  EXPECT_THAT(folded("Pow", {list({1}), list({1})}),
              One("node k (Pow) computes with constants of float32"));
  EXPECT_THAT(folded("Floor", {ones}), One("node k (Floor) computes with constants of int64"));
  EXPECT_THAT(folded("Add", {ones, list({1})}),
              One("node k (Add) joins constants of int64 and float32; they must have one type"));
  EXPECT_THAT(folded("Where", {ones, ones, list({1})}),
              One("node k (Where) joins constants of int64 and float32; they must have one type"));
  EXPECT_THAT(folded("Concat", {ones, list({1})}, {{"axis", 0}}),
              One("node k (Concat) joins constants of int64 [2] and float32 [1]"));
  EXPECT_THAT(folded("Concat", {ones, ones}, {{"axis", 1}}),
              One("node k (Concat) joins constants of [2] along axis 1"));
  EXPECT_THAT(folded("Range", {whole({0}), whole({4}), whole({0})}),
              One("node k (Range) counts by steps of 0"));
  EXPECT_THAT(folded("Range", {ones, whole({4}), whole({1})}),
              One("node k (Range) has input 0 (k0); it must be one number"));
  EXPECT_THAT(folded("Range", {list({0}), list({4}), list({1})}),
              One("node k (Range) counts in real numbers; it must count in integers"));
  EXPECT_THAT(folded("ConstantOfShape", {whole({-2})}),
              One("node k (ConstantOfShape) makes a constant of [?]"));
  EXPECT_THAT(folded("ConstantOfShape", {whole({2})}, {{"value", ones}}),
              One("node k (ConstantOfShape) has a value that is not one number"));
  EXPECT_THAT(folded("ReduceProd", {ones}, {{"axes", Dims{1}}}),
              One("node k (ReduceProd) has the axis 1 of [2]"));
  EXPECT_THAT(folded("ReduceProd", {list({1})}),
              One("node k (ReduceProd) computes with constants of float32"));
  EXPECT_THAT(
      folded("Cast", {ones}, {{"to", 10}}),
      One("node k (Cast) changes the type of constants; it must be bool, float32, float64 or "
          "an integer"));
  EXPECT_THAT(folded("Cast", {list({1e10F})}, {{"to", 7}}),
              One("node k (Cast) makes an integer of 10000000000; it must be within 32 bits"));
  EXPECT_THAT(of({-1, 4}, "Equal", {{1}}),
              One("node y (Equal) computes with results; it is computed of constants only"));
}

TEST(RefusalsOfMoves, SeveralInputs) {
  const auto two = [](const Dims& a, const Dims& b, bool reads = true) {
    Model m = model(a, {node("QuantizeLinear", {"w", "s", "z"}, "wq"),
                        node("DequantizeLinear", {"wq", "s", "z"}, "wd"),
                        node("Add", {"d", reads ? "wd" : "d"}, "a"),
                        node("QuantizeLinear", {"a", "one", "z"}, "y")});
    m.inputs.push_back({"w", Type::f32, b});
    if (!reads) m.nodes.erase(m.nodes.begin() + 2, m.nodes.begin() + 4);
    return said(m);
  };
  EXPECT_EQ(two({-1, 4}, {-1, 4}), imported);
  EXPECT_THAT(
      two({2, 4}, {1, 4}),
      One("input w is [1, 4], but input x before it is [2, 4]; they must be as many images"));
  EXPECT_EQ(two({-1, 4}, {-1, 4}, false), "no node uses the input w");
}

}  // namespace
}  // namespace kumiki::gen::onnx::refusals_moves_test
