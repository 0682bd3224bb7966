// SPDX-License-Identifier: Apache-2.0
// Models whose input is indices: what may read them.
#include "tests/gen/onnx/small_models.h"

#include <gtest/gtest.h>

namespace kumiki::gen::onnx::refusals_indices_test {
namespace {

using namespace small;

// The input is integers of this type and shape.
Model of_indices(std::vector<Node> nodes, Type type = Type::s64, const Dims& x = {-1, 4},
                 const Constants& more = {}) {
  Constants constants{{"bytes", s8({3, 2}, {1, 2, 3, 4, 5, 6})},
                      {"reals", reals({3, 2}, {1, 2, 3, 4, 5, 6})}};
  constants.insert(more.begin(), more.end());
  Model m = model(x, {}, constants);
  m.inputs[0].type = type;
  m.nodes = std::move(nodes);
  m.outputs = {{m.nodes.back().outputs[0], Type::f32, {}}};
  return m;
}

std::vector<Node> quantised_behind(std::vector<Node> nodes) {
  const std::string last = nodes.back().outputs[0];
  nodes.push_back(node("QuantizeLinear", {last, "s", "z"}, "yq"));
  nodes.push_back(node("DequantizeLinear", {"yq", "s", "z"}, "y"));
  return nodes;
}

TEST(Indices, GatherReadsThem) {
  for (const Type type : {Type::s64, Type::s32}) {
    EXPECT_EQ(said(of_indices(quantised_behind({node("Gather", {"reals", "x"}, "e")}), type)),
              imported);
    EXPECT_EQ(said(of_indices({node("Gather", {"bytes", "x"}, "e"),
                               node("DequantizeLinear", {"e", "s", "i"}, "y")},
                              type)),
              imported);
  }
  EXPECT_EQ(said(of_indices(quantised_behind(
                {node("Cast", {"x"}, "c", {{"to", 6}}), node("Gather", {"reals", "c"}, "e")}))),
            imported);
}

TEST(Indices, TwoTablesHaveTheIndicesOfTheLargerOne) {
  const Model m = of_indices(
      quantised_behind(
          {node("Gather", {"bytes", "x"}, "a"), node("DequantizeLinear", {"a", "s", "i"}, "ad"),
           node("Gather", {"many", "x"}, "b"), node("QuantizeLinear", {"b", "s", "i"}, "bq"),
           node("DequantizeLinear", {"bq", "s", "i"}, "bd"), node("Add", {"ad", "bd"}, "c")}),
      Type::s64, {-1, 4}, {{"many", filled({200, 2}, 3)}});
  const graph::Graph g = import_model(m, "m").graph;
  EXPECT_EQ(g.tensors[g.input].format, (graph::Format{9, true}));
  EXPECT_EQ(graph::numbers_of_input(g, g.input), (arith::Interval{-3, 2}));
}

TEST(Indices, WhatIsRefused) {
  const auto gather = [](const std::string& table, const Attributes& attributes = {},
                         const Dims& x = {-1, 4}, const Constants& more = {}) {
    return said(of_indices(quantised_behind({node("Gather", {table, "x"}, "e", attributes)}),
                           Type::s64, x, more));
  };
  const std::string begin = "node e (Gather) ";
  EXPECT_THAT(gather("reals", {{"axis", 1}}),
              One(begin + "reads [3, 2]; it must be a table of rows and columns, with axis = 0"));
  EXPECT_THAT(gather("line", {}, {-1, 4}, {{"line", list({1, 2})}}),
              One(begin + "reads [2]; it must be a table of rows and columns"));
  EXPECT_THAT(gather("none", {}, {-1, 4}, {{"none", reals({0, 2}, {})}}),
              One(begin + "has a table of [0, 2]; its axes must be 1 to 1048576"));
  EXPECT_THAT(gather("reals", {}, {-1, 2, 3, 4}),
              One(begin + "makes [1, 2, 3, 4, 2]; it must be images first"));
  EXPECT_THAT(gather("wide", {}, {-1, 4}, {{"wide", s16({1, 1}, {1})}}),
              One(begin + "quantises to int16; it must be int8, uint8, int4 or uint4"));
  EXPECT_THAT(gather("wide", {}, {-1, 4}, {{"wide", s32({1, 1}, {1})}}),
              One(begin + "has a table of int32; it must have at most 8 bits"));
  EXPECT_THAT(said(of_indices({node("DequantizeLinear", {"x", "s"}, "y")})),
              One("node y (DequantizeLinear) reads input 0 (x), an input of indices; only Gather"));
  EXPECT_THAT(said(of_indices(quantised_behind({node("Relu", {"x"}, "r")}))),
              One("node r (Relu) reads input 0 (x), an input of indices; only Gather reads them, "
                  "with a constant table"));
  EXPECT_THAT(said(of_indices({node("Identity", {"x"}, "y")})), One("output y is not quantised"));
  // Numbers that were computed are no indices.
  EXPECT_THAT(
      said(model({-1, 4},
                 {node("Gather", {"k", "q"}, "e"), node("DequantizeLinear", {"e", "s", "i"}, "y")},
                 {{"k", s8({3, 2}, {1, 2, 3, 4, 5, 6})}})),
      One("node e (Gather) picks rows of a table by computed numbers; the indices must be "
          "an input of the model of int64 or int32"));
}

}  // namespace
}  // namespace kumiki::gen::onnx::refusals_indices_test
