// SPDX-License-Identifier: Apache-2.0
// What --averages sums reads in integers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::integers_test {
namespace {

using namespace small;  // NOLINT(google-build-using-namespace)

// The operator of this type in the graph; null: there is none.
template <class Op>
const Op* find(const graph::Graph& g) {
  for (const graph::Node& n : g.nodes)
    if (const auto* op = std::get_if<Op>(&n.op)) return op;
  return nullptr;
}

TEST(IntegersOfSums, SoftmaxAndLayerNormalization) {
  const Model m =
      model({1, 3, 8},
            {node("LayerNormalization", {"d", "g", "b"}, "l"),
             node("QuantizeLinear", {"l", "t", "z"}, "ql"),
             node("DequantizeLinear", {"ql", "t", "z"}, "dl"), node("Softmax", {"dl"}, "p", {}),
             node("QuantizeLinear", {"p", "u", "z0"}, "qp"),
             node("DequantizeLinear", {"qp", "u", "z0"}, "dp"), node("Mul", {"dp", "dl"}, "y"),
             node("QuantizeLinear", {"y", "t", "z"}, "qy"),
             node("DequantizeLinear", {"qy", "t", "z"}, "dy")},
            {{"g", filled({8}, 1.5F)},
             {"b", filled({8}, 0.25F)},
             {"t", number(0.03F)},
             {"u", number(1.0F / 256)},
             {"z0", u8(0)}});
  for (const Averages averages : {Averages::as_onnxruntime, Averages::sums}) {
    const Imported imported = import_model(m, "m", averages);
    const int integers = averages == Averages::sums ? 1 : 0;
    const auto* softmax = find<graph::Softmax>(imported.graph);
    const auto* norm = find<graph::LayerNorm>(imported.graph);
    ASSERT_TRUE(softmax && norm);
    EXPECT_EQ(softmax->integers, integers);
    EXPECT_EQ(norm->integers, integers);
    const auto of_node = [](const std::string& name) {
      return "node " + name + ": onnxruntime computes it in float32";
    };
    const auto notes = testing::AllOf(testing::Contains(testing::StartsWith(of_node("p"))),
                                      testing::Contains(testing::StartsWith(of_node("l"))));
    if (integers == 1)
      EXPECT_THAT(imported.notes, notes);
    else
      EXPECT_THAT(imported.notes, testing::Not(notes));
  }
}

}  // namespace
}  // namespace kumiki::gen::onnx::integers_test
