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

// Nodes behind d, and QuantizeLinear of the last one with the scale s and this zero point.
std::string quantised(const Dims& x, std::vector<Node> nodes, const Constants& constants = {},
                      const std::string& zero = "z") {
  nodes.push_back(node("QuantizeLinear", {nodes.back().outputs[0], "s", zero}, "out"));
  return said(model(x, nodes, constants));
}
const Node behind_softmax = node("Abs", {"pd"}, "a");

// q and s8 numbers of it, i8, whose real numbers are id.
const std::vector<Node> as_s8{node("QuantizeLinear", {"d", "one", "i"}, "i8"),
                              node("DequantizeLinear", {"i8", "one", "i"}, "id")};
std::vector<Node> with_s8(std::vector<Node> nodes) {
  nodes.insert(nodes.begin(), as_s8.begin(), as_s8.end());
  return nodes;
}

TEST(RefusalsOfTokens, ProductsOfTwoResults) {
  const auto of = [](const Dims& x, const Dims& shape) {
    return quantised(x, {node("Reshape", {"d", "shape"}, "r"), node("MatMul", {"d", "r"}, "y")},
                     {{"shape", whole(shape)}});
  };
  EXPECT_EQ(of({-1, 2, 3}, {0, 3, 2}), imported);
  EXPECT_EQ(of({-1, 4, 2, 3}, {0, 4, 3, 2}), imported);
  const std::string rest =
      "; it must be [..., rows, terms] and [..., terms, columns], with equal axes in front";
  EXPECT_THAT(of({-1, 2, 3}, {0, 2, 3}),
              One("node y (MatMul) multiplies [1, 2, 3] and [1, 2, 3]" + rest));
  EXPECT_THAT(of({-1, 4, 2, 3}, {0, 12, 2}),
              One("node y (MatMul) multiplies [1, 4, 2, 3] and [1, 12, 2]" + rest));
  EXPECT_THAT(of({-1, 4, 2, 3}, {0, 2, 3, 4}),
              One("node y (MatMul) multiplies [1, 4, 2, 3] and [1, 2, 3, 4]" + rest));
  EXPECT_THAT(of({-1, 6}, {0, 6}), One("node y (MatMul) multiplies [1, 6] and [1, 6]" + rest));
  EXPECT_THAT(quantised({-1, 2, 2}, {node("MatMul", {"d", "x"}, "y")}),
              One("node y (MatMul) reads input 1 (x), which is not quantised"));
}

// onnxruntime multiplies others in float32: rounded otherwise at halves.
TEST(RefusalsOfTokens, TypesOfProductsOfTwoResults) {
  const auto of = [](const char* a, const char* b, const char* zero) {
    return quantised({-1, 2, 2}, with_s8({node("MatMul", {a, b}, "y")}), {}, zero);
  };
  const auto refused = [](const char* types) {
    return One("node out (QuantizeLinear) follows node y, which multiplies numbers of " +
               std::string(types) + "; the types must be equal, or only the second one s8");
  };
  EXPECT_EQ(of("d", "d", "z"), imported);
  EXPECT_EQ(of("id", "id", "i"), imported);
  EXPECT_EQ(of("d", "id", "z"), imported);
  EXPECT_THAT(of("id", "d", "i"), refused("S8 and U8 for a quantiser of S8"));
  EXPECT_THAT(of("d", "d", "i"), refused("U8 and U8 for a quantiser of S8"));
  EXPECT_THAT(of("id", "id", "z"), refused("S8 and S8 for a quantiser of U8"));
  const auto linear = [](const std::string& second, const char* scale, const char* zero) {
    return said(model(
        {-1, 2, 2},
        with_s8({node("QLinearMatMul", {"q", "s", "z", second, scale, zero, "one", "z"}, "y")})));
  };
  EXPECT_EQ(linear("q", "s", "z"), imported);
  EXPECT_EQ(linear("i8", "one", "i"), imported);
  EXPECT_THAT(linear("d", "s", "z"),
              One("node y (QLinearMatMul) reads input 3 (d), which is not quantised; it must be "
                  "integers"));
}

TEST(RefusalsOfTokens, Softmax) {
  const auto of = [](const Attributes& attributes, std::vector<Node> between = {},
                     const char* zero = "z") {
    std::vector<Node> nodes{node("Softmax", {"d"}, "p", attributes)};
    nodes.insert(nodes.end(), between.begin(), between.end());
    nodes.push_back(node("QuantizeLinear", {nodes.back().outputs[0], "s", zero}, "pq"));
    nodes.push_back(node("DequantizeLinear", {"pq", "s", zero}, "pd"));
    nodes.push_back(behind_softmax);
    return quantised({-1, 2, 4}, nodes, {{"half", number(0.5F)}, {"none", number(0)}});
  };
  EXPECT_EQ(of({}), imported);
  EXPECT_EQ(of({{"axis", std::int64_t{2}}}), imported);
  EXPECT_EQ(of({{"axis", std::int64_t{1}}}), imported);
  EXPECT_EQ(of({{"axis", std::int64_t{-2}}}), imported);
  EXPECT_THAT(of({{"axis", std::int64_t{3}}}),
              One("node p (Softmax) is along axis 3 of [1, 2, 4]; it must be 0 to 2"));
  EXPECT_THAT(of({}, {}, "i"), One("node pq (QuantizeLinear) follows node p, a Softmax from U8 to "
                                   "S8; the types must be equal, of 8 bits"));
  EXPECT_THAT(of({}, {node("Clip", {"p", "none", "half"}, "c")}),
              One("node pq (QuantizeLinear) follows node p, a Softmax, with a clip between them; "
                  "put it behind a quantiser of the Softmax"));
  EXPECT_THAT(of({}, {node("Mul", {"p", "half"}, "c")}),
              One("node pq (QuantizeLinear) follows node p with functions of real numbers between "
                  "them"));
  // At the end of a model its input is the result.
  EXPECT_EQ(quantised({-1, 2, 4}, {node("Softmax", {"d"}, "p", {{"axis", std::int64_t{1}}})}),
            imported);
}

TEST(RefusalsOfTokens, QLinearSoftmax) {
  const auto of = [](const Attributes& attributes, const std::string& in = "q") {
    return quantised({-1, 2, 4},
                     {node(microsoft + "QLinearSoftmax", {in, "s", "z", "s", "z"}, "p", attributes),
                      node("DequantizeLinear", {"p", "s", "z"}, "pd"), behind_softmax});
  };
  const std::string begin = "node p (com.microsoft.QLinearSoftmax) ";
  EXPECT_EQ(of({{"opset", std::int64_t{13}}}), imported);
  EXPECT_EQ(of({{"opset", std::int64_t{11}}, {"axis", std::int64_t{2}}}), imported);
  EXPECT_EQ(of({{"opset", std::int64_t{11}}}), imported);
  EXPECT_THAT(of({{"opset", std::int64_t{13}}}, "d"),
              One(begin + "reads input 0 (d), which is not quantised; it must be integers"));
}

TEST(RefusalsOfTokens, LayerNormalization) {
  const std::vector<float> eight(8, 1), seven(7, 1);
  const auto of = [](const Dims& x, const Attributes& attributes, std::vector<float> factors,
                     std::vector<float> biases = {}, std::vector<std::string> more = {}) {
    std::vector<std::string> inputs{"d", "f"};
    if (!biases.empty()) inputs.emplace_back("b");
    Node normal = node("LayerNormalization", inputs, "y", attributes);
    for (auto& name : more) normal.outputs.push_back(std::move(name));
    const auto size = [](const auto& v) { return Dims{static_cast<std::int64_t>(v.size())}; };
    return said(
        model(x, {normal, node("QuantizeLinear", {"y", "s", "z"}, "out")},
              {{"f", array_of(size(factors), factors)}, {"b", array_of(size(biases), biases)}}));
  };
  const std::string begin = "node y (LayerNormalization) ";
  EXPECT_EQ(of({-1, 3, 8}, {}, eight), imported);
  EXPECT_EQ(
      of({-1, 3, 8}, {{"axis", std::int64_t{2}}, {"stash_type", std::int64_t{1}}}, eight, eight),
      imported);
  EXPECT_THAT(of({-1, 3, 8}, {{"axis", std::int64_t{1}}}, eight),
              One(begin + "normalises from axis 1 of [1, 3, 8] on; it must be the last one"));
  EXPECT_THAT(of({-1, 3, 8}, {{"stash_type", std::int64_t{10}}}, eight),
              One(begin + "has a stash_type other than 1, float32"));
  EXPECT_THAT(of({-1, 3, 7}, {}, seven),
              One(begin + "normalises 7 numbers; it must be a multiple of 8: onnxruntime adds the "
                          "last ones of others in an order that depends on how it was compiled"));
  EXPECT_THAT(of({-1, 3, 8}, {}, seven), One(begin + "has 7 factors or biases; it must have 8"));
  EXPECT_THAT(of({-1, 3, 8}, {}, eight, seven),
              One(begin + "has 7 factors or biases; it must have 8"));
  EXPECT_NE(of({-1, 3, 8}, {}, eight, eight, {"mean"}), imported);
  EXPECT_THAT(quantised({-1, 3, 8}, {node("LayerNormalization", {"d", "d"}, "y")}),
              One(begin + "has input 1 (d)"));
  // What is wrong with the numbers, the check of the graph says.
  EXPECT_THAT(of({-1, 3, 8}, {{"epsilon", 0.0F}}, eight),
              testing::HasSubstr("has the epsilon 0; it must be a normal float32 above 0"));
}

TEST(RefusalsOfTokens, WhatReadsANormalisedLayerBeforeItsQuantiser) {
  const auto of = [](std::vector<Node> nodes, const Dims& x = {-1, 3, 8}) {
    nodes.insert(nodes.begin(), node("LayerNormalization", {"d", "f"}, "n"));
    return quantised(x, nodes,
                     {{"f", array_of({8}, std::vector<float>(8, 1))},
                      {"first", array_of({}, Dims{0})},
                      {"one_axis", whole(Dims{1})},
                      {"other", whole(Dims{2})},
                      {"half", number(0.5F)}});
  };
  EXPECT_EQ(of({node("Gather", {"n", "first"}, "g", {{"axis", std::int64_t{1}}})}), imported);
  EXPECT_EQ(of({node("ReduceMean", {"n", "one_axis"}, "g")}), imported);
  EXPECT_EQ(of({node("Relu", {"n"}, "g")}), imported);
  EXPECT_THAT(of({node("Relu", {"n"}, "r"), node("ReduceMean", {"r", "one_axis"}, "g")}),
              One("node g (ReduceMean) reads input 0 (r), the float32 result of node n"));
  EXPECT_THAT(of({node("ReduceMean", {"n", "other"}, "g")}),
              One("node g (ReduceMean) reads input 0 (n), the float32 result of node n"));
  EXPECT_THAT(of({node("Mul", {"n", "half"}, "g")}),
              One("node out (QuantizeLinear) follows node n with functions of real numbers"));
  EXPECT_THAT(of({node("Gather", {"n", "first"}, "g", {{"axis", std::int64_t{1}}}),
                  node("Gather", {"g", "first"}, "h", {{"axis", std::int64_t{1}}})}),
              One("node h (Gather) has an input that is not quantised yet: quantise it first"));
}

TEST(RefusalsOfTokens, ReduceMeanOfTokens) {
  const auto of = [](const Dims& x, const Dims& axes) {
    return quantised(x, {node("ReduceMean", {"d", "axes"}, "y")}, {{"axes", whole(axes)}});
  };
  EXPECT_EQ(of({-1, 3, 8}, {1}), imported);
  EXPECT_EQ(of({-1, 3, 8}, {-2}), imported);
  EXPECT_NE(of({-1, 3, 8}, {0}), imported);
}

// As an operand of an addition and as a part of what is joined.
TEST(RefusalsOfTokens, ConstantsBesideResults) {
  const auto joined = [](const Array& k, std::int64_t axis) {
    return quantised({-1, 3, 2}, {node("Concat", {"k", "d"}, "y", {{"axis", axis}})}, {{"k", k}});
  };
  const auto reals = [](const Dims& dims, std::size_t count) {
    return array_of(dims, std::vector<float>(count, 0.25F));
  };
  EXPECT_EQ(joined(reals({1, 1, 2}, 2), 1), imported);
  EXPECT_NE(joined(reals({1, 1, 3}, 3), 1), imported);
  EXPECT_NE(joined(reals({2, 1, 2}, 4), 1), imported);
  const auto linear = [](const Array& k) {
    return said(model({-1, 3, 2},
                      {node(microsoft + "QLinearConcat", {"s", "z", "k", "s", "z", "q", "s", "z"},
                            "y", {{"axis", std::int64_t{1}}})},
                      {{"k", k}}));
  };
  EXPECT_EQ(linear(s8({1, 1, 2}, {1, 2})), imported);
  EXPECT_NE(linear(reals({1, 1, 2}, 2)), imported);
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

// onnxruntime has no QLinearAdd of two types: it adds real numbers, which a table of all pairs has.
TEST(Tokens, SumsOfTwoTypesAreTables) {
  const auto of = [](const char* a, const char* b, const char* zero) {
    const graph::Graph g =
        import_model(
            model({-1, 2, 3},
                  with_s8({node("Transpose", {b}, "t", {{"perm", Dims{0, 2, 1}}}),
                           node("Reshape", {"t", "shape"}, "r"), node("Add", {a, "r"}, "y"),
                           node("QuantizeLinear", {"y", "s", zero}, "out")}),
                  {{"shape", whole(Dims{0, 2, 3})}}),
            "m.onnx")
            .graph;
    return std::get<graph::Add>(g.nodes.back().op).table.size();
  };
  EXPECT_EQ(of("d", "d", "z"), 0U);
  EXPECT_EQ(of("id", "id", "i"), 0U);
  EXPECT_EQ(of("d", "id", "z"), 65536U);
  EXPECT_EQ(of("id", "d", "i"), 65536U);
  EXPECT_EQ(of("d", "d", "i"), 65536U);
}

TEST(RefusalsOfTokens, AnInputOfIntegersAsRealNumbers) {
  Model m = model({-1, 4}, {node("Cast", {"ids"}, "r", {{"to", std::int64_t{1}}}),
                            node("QuantizeLinear", {"r", "one", "i"}, "out")});
  m.inputs.push_back({"ids", Type::s64, {-1, 4}});
  ASSERT_EQ(said(m), imported);
  const Imported of = import_model(m, "m.onnx");
  EXPECT_THAT(of.notes, testing::Contains("input ids: its integers must be -128 to 127"));
  // Rows of a table cannot be picked by them as well.
  m.constants["table"] = array_of({200, 2}, std::vector<float>(400, 0.5F));
  m.nodes.insert(m.nodes.begin() + 2, node("Gather", {"table", "ids"}, "e"));
  m.nodes.insert(m.nodes.begin() + 3, node("QuantizeLinear", {"e", "s", "z"}, "eq"));
  m.outputs.push_back({"eq", Type::u8, {}});
  EXPECT_THAT(said(m), One("node r (Cast) reads an input of indices as real numbers; give the "
                           "model an input for each use"));
}

TEST(Tokens, ConstantsAreExpanded) {
  const auto of = [](const Dims& to) {
    return quantised({-1, 2, 2}, {node("Expand", {"k", "to"}, "e"), node("Add", {"d", "ed"}, "y")},
                     {{"k", s8({1, 2}, {1, 2})}, {"to", whole(to)}});
  };
  EXPECT_NE(of({2, 3}), imported);
  const auto joined = [](const Dims& to) {
    return quantised({-1, 2, 2},
                     {node("Expand", {"k", "to"}, "e"),
                      node("Concat", {"e", "d"}, "y", {{"axis", std::int64_t{1}}})},
                     {{"k", array_of({1, 1, 2}, std::vector<float>{1, 2})}, {"to", whole(to)}});
  };
  EXPECT_EQ(joined({1, 3, 2}), imported);
  EXPECT_EQ(joined({3, 1}), imported);
  EXPECT_NE(joined({1, 3, 5}), imported);
}

}  // namespace
}  // namespace kumiki::gen::onnx::refusals_tokens_test
