// SPDX-License-Identifier: Apache-2.0
// Several images in one run: which nodes are computed once, and where images are in a map of all.
// What the programs compute is compared by lower_test.cpp and the lockstep tests.
#include "gen/layers/engine/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include <fmt/format.h>

#include "gen/graph/interpret.h"
#include "gen/graph/text.h"
#include "gen/layers/engine/hardware/forecast.h"
#include "gen/layers/engine/lower.h"
#include "gen/layers/engine/ports/image.h"
#include "tests/support/engine_networks.h"
#include "tests/support/engine_run.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names(const graph::Graph& g) {
  std::vector<std::string> all;
  for (const graph::Node& n : g.nodes) all.push_back(n.name);
  return all;
}

// A convolution, and a dense layer on its map; then a table and another dense layer.
graph::Graph with_dense_end(const std::string& more_outputs = "") {
  std::string weights;
  for (int o = 0; o < 4; ++o) {
    weights += "  weights";
    for (int i = 0; i < 2 * 3 * 5; ++i) weights += fmt::format(" {}", (o * 31 + i * 7) % 23 - 11);
    weights += '\n';
  }
  return graph::parse_graph(
      "g", R"(graph g
tensor x u8 1x5x7 scale 1 zero 3
tensor map u8 2x3x5 scale 1 zero 7
tensor four u8 4x1x1 scale 1 zero 5
tensor table u8 4x1x1 scale 1 zero 5
tensor y s8 3x1x1 scale 1 zero -4
input x
output y
)" + more_outputs +
               R"(conv first x -> map kernel 3x3
  scales 0x1p-5
  bias 40 -90
  weights 3 -2 9 7 5 -8 4 1 2
  weights 1 2 -3 4 5 6 -7 8 9
conv dense map -> four kernel 3x5
  scales 0x1p-6
  bias 4 -9 3 8
)" + weights + R"(lookup relu four -> table
  values )" +
               [] {
                 std::string values;
                 for (int i = 0; i < 256; ++i) values += fmt::format("{} ", std::max(i, 5));
                 return values;
               }() +
               R"(
conv last table -> y
  scales 0x1p-3
  bias 4 -9 3
  weights 9 -7 3 5
  weights -3 2 8 1
  weights 4 4 -9 2
)");
}

TEST(EngineBatch, DenseLayersAtTheEndAreComputedOnce) {
  const Batch b = batched(with_dense_end(), 3);
  EXPECT_THAT(names(b.graph),
              ElementsAre("first:0", "first:1", "first:2", "map:all", "dense", "relu", "last"));
  const auto& dense = std::get<graph::Conv>(b.graph.nodes[4].op);
  EXPECT_EQ(dense.window.stride, (std::array{1, 5}));
  EXPECT_EQ(b.graph.tensors[b.graph.nodes[3].output].shape, (graph::Shape{2, 3, 15}));
  EXPECT_EQ(b.graph.tensors[b.outputs[2][0].tensor].shape, (graph::Shape{3, 1, 3}));
  EXPECT_EQ(b.outputs[2][0].column, 2);
  EXPECT_FALSE(b.inputs[1][0].column);
  EXPECT_NE(b.inputs[1][0].tensor, b.inputs[2][0].tensor);
}

TEST(EngineBatch, OneImageIsTheGraphAsItIs) {
  const graph::Graph g = with_dense_end();
  const Batch b = batched(g, 1);
  EXPECT_EQ(b.graph, g);
  EXPECT_THAT(b.inputs, ElementsAre(ElementsAre(End{g.input})));
  EXPECT_THAT(b.outputs, ElementsAre(ElementsAre(End{g.outputs[0]})));
}

// What leaves in the middle is that of each image; it is in the map of all nevertheless.
TEST(EngineBatch, AResultThatIsReadOnAsWell) {
  const Batch b = batched(with_dense_end("output map\noutput four\n"), 2);
  EXPECT_THAT(names(b.graph),
              ElementsAre("first:0", "first:1", "map:all", "dense", "relu", "last"));
  EXPECT_FALSE(b.outputs[1][1].column);
  EXPECT_EQ(b.outputs[1][2].column, 1);
}

// The map of all images has no copy: each image is made where the dense layer reads it.
TEST(EngineBatch, NothingIsMoved) {
  constexpr EngineShape shape{.rows = 8, .columns = 4, .places = 1024, .weight_words = 64};
  const auto operations = [](const Program& p) {
    return std::ranges::count_if(p.steps,
                                 [](const Step& s) { return std::holds_alternative<Op>(s); });
  };
  const graph::Graph g = with_dense_end();
  const Program one = lower(g, shape), five = lower(g, shape, 5);
  EXPECT_EQ(operations(one), 3);
  EXPECT_EQ(operations(five), 5 + 2);
  const auto network =
      test::engine_network(std::make_shared<const Program>(five), test::rotating_seed());
  EXPECT_EQ(run(five, network.image), network.wanted());
}

// A network of dense layers alone: an input is a map of all images from the beginning, and four
// images take hardly longer than one.
TEST(EngineBatch, WeightsComeOnce) {
  const EnginePlan plan{
      plan_core({.rows = 16, .columns = 8, .places = 1024, .weight_words = 64}, false)};
  graph::Graph g = test::convolution_of({256, 1, 1}, {}, 1, 3);
  const Program one = lower(g, plan.core.shape), four = lower(g, plan.core.shape, 4);
  EXPECT_EQ(four.steps.size(), one.steps.size());
  EXPECT_EQ(four.inputs[3][0].column, 3);
  const std::int64_t clocks = forecast(plan, one);
  EXPECT_GT(forecast(plan, four), clocks);
  EXPECT_LT(forecast(plan, four), clocks * 11 / 10);
}

// In the memory outside each image of an input or output has areas of its own: all its numbers
// once, and no byte twice.
TEST(EngineBatch, ImagesShareNoByte) {
  const PortsPlan plan{
      .engine = {plan_core({.rows = 8, .columns = 4, .places = 4096, .weight_words = 64}, false)}};
  test::EngineNetworks networks(plan.engine, test::rotating_seed());
  std::size_t together = 0;
  for (int i = 0; i < 40; ++i) {
    const auto n = networks.next().value();
    const Program& p = *n.program;
    const MemoryImage image = memory_image(plan, n.program);
    const auto look = [&](const std::vector<Area>& areas, const std::vector<std::vector<End>>& ends,
                          bool once) {
      std::set<std::int64_t> bytes;
      std::map<std::pair<std::size_t, std::size_t>, std::set<std::int64_t>> numbers;
      for (const Area& a : areas)
        a.each(p.shape_of(ends[a.image][a.number]), [&](std::int64_t byte, std::int64_t index) {
          EXPECT_TRUE(bytes.insert(byte).second || !once) << "seed " << n.seed;
          EXPECT_LT(byte, image.data_words * plan.word_bytes());
          if (index >= 0) numbers[{a.image, a.number}].insert(index);
        });
      for (std::size_t b = 0; b < ends.size(); ++b)
        for (std::size_t e = 0; e < ends[b].size(); ++e) {
          together += ends[b][e].column.has_value();
          // Of an input that nobody reads in full some numbers are nowhere.
          if (!once) continue;
          EXPECT_EQ((numbers[{b, e}].size()), graph::count(p.shape_of(ends[b][e])));
        }
    };
    look(image.inputs, p.inputs, false);
    std::vector<Area> distinct;  // a tensor that is two outputs has one map
    for (const Area& a : image.outputs)
      if (std::ranges::none_of(distinct,
                               [&](const Area& d) { return d.first_byte == a.first_byte; }))
        distinct.push_back(a);
    if (distinct.size() == image.outputs.size()) look(image.outputs, p.outputs, true);
  }
  EXPECT_GT(together, 10u);
}

}  // namespace
}  // namespace kumiki::gen::engine
