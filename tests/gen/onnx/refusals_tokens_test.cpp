// SPDX-License-Identifier: Apache-2.0
// What the operators of transformers refuse, and beside it the nearest that is imported: products
// of two results, softmax, normalised layers, constants beside results.
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/graph.h"
#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::refusals_tokens_test {
namespace {

using namespace small;

// q and s8 numbers of it, i8, whose real numbers are id.
const std::vector<Node> as_s8{node("QuantizeLinear", {"d", "one", "i"}, "i8"),
                              node("DequantizeLinear", {"i8", "one", "i"}, "id")};
std::vector<Node> with_s8(std::vector<Node> nodes) {
  nodes.insert(nodes.begin(), as_s8.begin(), as_s8.end());
  return nodes;
}

// The shorter operand comes first: the result has the shape of the other one.
TEST(RefusalsOfTokens, QLinearAddOfAShorterOperandFirst) {
  const Model m =
      model({-1, 3, 4},
            {node("Slice", {"q", "from", "to", "axis"}, "p"),
             node(microsoft + "QLinearAdd", {"p", "s", "z", "q", "s", "z", "s", "z"}, "y")},
            {{"from", whole(Dims{0})}, {"to", whole(Dims{1})}, {"axis", whole(Dims{1})}});
  ASSERT_EQ(said(m), imported);
  const graph::Graph g = import_model(m, "m.onnx").graph;
  EXPECT_EQ(g.tensors[g.outputs[0]].shape, (graph::Shape{3, 4}));
}

// onnxruntime turns the operands if the first one is the same number along the innermost loop.
TEST(Tokens, OrderOfOperands) {
  const auto first_is_constant = [](const Dims& dims, bool constant_first) {
    std::int64_t all = 1;
    for (const auto d : dims) all *= d;
    const Array k = s8(dims, std::vector<std::int64_t>(static_cast<std::size_t>(all), 3));
    std::vector<std::string> inputs{"k", "s", "i"};
    inputs.insert(constant_first ? inputs.end() : inputs.begin(), {"q", "s", "z"});
    inputs.insert(inputs.end(), {"s", "z"});
    const graph::Graph g =
        import_model(
            model({-1, 3, 4, 5}, {node(microsoft + "QLinearAdd", inputs, "y")}, {{"k", k}}),
            "m.onnx")
            .graph;
    const graph::Node& add = g.nodes.back();
    EXPECT_TRUE(std::holds_alternative<graph::Add>(add.op));
    return g.tensors[add.inputs[0]].name == "k";
  };
  EXPECT_TRUE(first_is_constant({4, 5}, true));
  EXPECT_FALSE(first_is_constant({4, 5}, false));
  EXPECT_FALSE(first_is_constant({4, 1}, true));
  EXPECT_FALSE(first_is_constant({1, 3, 4, 1}, true));
  EXPECT_FALSE(first_is_constant({4, 1}, false));
  // Two results.
  const auto names = [](const Dims& x, const char* a, const char* b) {
    const graph::Graph g =
        import_model(
            model(x,
                  {node("Slice", {"q", "from", "to", "axis"}, "p"),
                   node(microsoft + "QLinearAdd", {a, "s", "z", b, "s", "z", "s", "z"}, "y")},
                  {{"from", whole(Dims{0})}, {"to", whole(Dims{1})}, {"axis", whole(Dims{2})}}),
            "m.onnx")
            .graph;
    return g.tensors[g.nodes.back().inputs[0]].name;
  };
  EXPECT_EQ(names({-1, 3, 4}, "q", "p"), "q");
  EXPECT_EQ(names({-1, 3, 4}, "p", "q"), "q");
}

// Operands of equal shape are never turned but where all is one number.
TEST(Tokens, OrderOfOperandsInABatch) {
  const auto first = [](std::int64_t images) {
    const graph::Graph g =
        import_model(
            model({images, 1}, with_s8({node("QuantizeLinear", {"id", "s", "z"}, "p"),
                                        node(microsoft + "QLinearAdd",
                                             {"q", "s", "z", "p", "s", "z", "s", "z"}, "y")})),
            "m.onnx")
            .graph;
    return g.tensors[g.nodes.back().inputs[0]].name;
  };
  EXPECT_EQ(first(7), "q");
  EXPECT_EQ(first(1), "p");
}

}  // namespace
}  // namespace kumiki::gen::onnx::refusals_tokens_test
