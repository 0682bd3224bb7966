// SPDX-License-Identifier: Apache-2.0
// Which pairs of quantisers become one, as onnxruntime has it (merged.cpp), seen by the quantiser
// of the input, whose range is [-1.5, 126] in the file.
#include <gtest/gtest.h>

#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::merged_test {
namespace {

using namespace small;

const Dims map{-1, 2, 2, 2};

struct Input {
  float scale;
  int zero_point;
  std::size_t lookups;
  friend bool operator==(const Input&, const Input&) = default;
  friend void PrintTo(const Input& i, std::ostream* out) {
    *out << i.scale << " " << i.zero_point << ", " << i.lookups << " lookups";
  }
};

// q2 is q behind its DequantizeLinear d, with a scale and a zero point of its own.
Input input_of(const Array& scale, const Array& zero, std::vector<Node> more = {},
               const std::vector<std::string>& outputs = {}) {
  std::vector<Node> nodes{node("QuantizeLinear", {"d", "t", "tz"}, "q2"),
                          node("DequantizeLinear", {"q2", "t", "tz"}, "d2")};
  nodes.insert(nodes.end(), more.begin(), more.end());
  Model m = model(map, nodes, {{"t", scale}, {"tz", zero}});
  for (const std::string& name : outputs) m.outputs.push_back({name, Type::f32, {}});
  const Imported made = import_model(m, "m.onnx");
  EXPECT_TRUE(made.notes.empty());
  std::size_t lookups = 0;
  for (const graph::Node& n : made.graph.nodes)
    lookups += std::holds_alternative<graph::Lookup>(n.op) ? 1 : 0;
  const graph::Tensor& t = made.graph.tensors[made.graph.input];
  return {t.scale, t.zero_point, lookups};
}

TEST(MergedQuantisers, HaveTheRangeThatBothHave) {
  EXPECT_EQ(input_of(number(0.25F), u8(6)), (Input{0.25F, 6, 0}));      // [-1.5, 62.25]
  EXPECT_EQ(input_of(number(1), u8(3)), (Input{0.5F, 3, 0}));           // [-3, 252]
  EXPECT_EQ(input_of(number(0.25F), u8(0)), (Input{0.25F, 0, 0}));      // [0, 63.75]
  EXPECT_EQ(input_of(number(2), u8(200)), (Input{0.43725491F, 3, 0}));  // [-400, 110]: [-1.5, 110]
  EXPECT_EQ(input_of(number(0.5F), u8(3)), (Input{0.5F, 3, 0}));        // the same quantiser
}

TEST(MergedQuantisers, OnlyWhereNobodyReadsBetweenThem) {
  const Input plain{0.5F, 3, 1};
  EXPECT_EQ(input_of(number(0.25F), u8(6), {node("Identity", {"d"}, "e")}), plain);
  EXPECT_EQ(
      input_of(number(0.25F), u8(6), {node("MaxPool", {"q"}, "p", {{"kernel_shape", Dims{1, 1}}})}),
      plain);
  EXPECT_EQ(
      input_of(number(0.25F), u8(6), {node("DequantizeLinear", {"q2", "t", "tz"}, "d3")}, {"d2"}),
      (Input{0.25F, 6, 0}));
  EXPECT_EQ(input_of(number(0.25F), u8(6), {}, {"d"}), plain);
  EXPECT_EQ(input_of(number(0.25F), u8(6), {}, {"q2"}), plain);
  EXPECT_EQ(input_of(number(0.25F), s8({}, {-122})), plain);  // another type
}

}  // namespace
}  // namespace kumiki::gen::onnx::merged_test
