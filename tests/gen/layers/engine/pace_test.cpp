// SPDX-License-Identifier: Apache-2.0
// The clocks of a program: by hand for one operation, and what holds for every program.
#include "gen/layers/engine/pace.h"

#include <gtest/gtest.h>

#include "gen/layers/engine/lower.h"
#include "ir/error.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::pace_test {

// A 3 x 3 convolution of 8 to 6 channels on 10 x 10 pixels.
graph::Graph convolution() {
  graph::Graph g;
  g.name = "convolution";
  g.tensors = {{"x", {8, 10, 10}, {8, false}, 0, 1}, {"y", {6, 10, 10}, {8, false}, 0, 1}};
  graph::Conv conv{.weights = std::vector<std::int16_t>(6 * 8 * 9, 1),
                   .bias = std::vector<std::int32_t>(6),
                   .scales = {0.01F}};
  conv.window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}};
  g.nodes = {{"conv", conv, {0}, 1}};
  g.outputs = {1};
  graph::require_legal(g);
  return g;
}

constexpr EngineShape small{.rows = 4, .columns = 2, .places = 4096};

TEST(EnginePace, OfAConvolutionIsTheFormula) {
  const Program p = lower(convolution(), small);
  ASSERT_EQ(p.steps.size(), 3u);  // load, operation, store
  const ProgramPace pace = pace_of(p);
  const StepPace &load = pace.steps[0], &op = pace.steps[1], &store = pace.steps[2];
  // Two blocks of 100 places; three tiles of 25 groups of 9 taps and 2 blocks.
  EXPECT_EQ(load.busy, 2 * 100 + EngineShape::latency);
  EXPECT_EQ(load.map_bytes, 800);
  EXPECT_EQ(op.busy, 3 * 25 * 18 + EngineShape::latency);
  EXPECT_EQ(op.macs, 6 * 8 * 9 * 100);
  EXPECT_EQ(op.weight_bytes, 3 * 18 * 8 + 6 * 8);
  EXPECT_EQ(op.begin, load.end);
  EXPECT_EQ(op.end, op.begin + op.busy + op.weight_waits);
  EXPECT_EQ(store.begin, op.end);
  EXPECT_EQ(pace.clocks, store.end);
}

TEST(EnginePace, ResultsLeaveThroughTheLanes) {
  graph::Graph g = convolution();
  auto& conv = std::get<graph::Conv>(g.nodes[0].op);
  conv.window = {};
  conv.weights.resize(6 * 8);
  EngineShape shape = small;
  shape.rows = 8;  // one word for a sum
  for (const auto& [lanes, clocks] : {std::pair{1, 4}, {2, 2}, {4, 1}}) {
    shape.lanes = lanes;
    const ProgramPace pace = pace_of(lower(g, shape));
    EXPECT_EQ(pace.steps[1].busy, 3 * 25 * clocks + EngineShape::latency);
  }
}

// A set of four pixels reads them after its own words.
TEST(EnginePace, SecondNumbersAreAWord) {
  graph::Graph g = convolution();
  graph::Tensor sum = g.tensors[1];
  sum.name = "sum";
  graph::Tensor other = g.tensors[1];
  other.name = "other";
  g.tensors.push_back(other);
  g.tensors.push_back(sum);
  g.nodes.push_back({"again", g.nodes[0].op, {0}, 2});
  g.nodes.push_back({"sum", graph::Add{}, {2, 1}, 3});
  g.outputs = {3};
  graph::require_legal(g);
  const Program p = lower(g, small);
  const ProgramPace pace = pace_of(p);
  std::vector<std::int64_t> busy;
  for (std::size_t i = 0; i < p.steps.size(); ++i)
    if (std::holds_alternative<Op>(p.steps[i])) busy.push_back(pace.steps[i].busy);
  EXPECT_EQ(busy, (std::vector<std::int64_t>{3 * 25 * 18 + EngineShape::latency,
                                             3 * 25 * 19 + EngineShape::latency}));
}

TEST(EnginePace, AUnitDoesOneStepAtATimeAndWaits) {
  const std::uint64_t seed = test::rotating_seed();
  std::size_t overlaps = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const graph::Graph g = test::RandomGraph(seed * 100'000 + i).made();
    try {
      EngineShape shape = small;
      shape.places = lower(g, shape).places * 3 / 4;
      const Program p = lower(g, shape);
      const ProgramPace pace = pace_of(p);
      std::array<std::vector<std::int64_t>, 2> ends;
      std::int64_t last = 0;
      for (std::size_t k = 0; k < p.steps.size(); ++k) {
        const std::size_t unit = std::holds_alternative<Op>(p.steps[k]) ? 1 : 0;
        const StepPace& step = pace.steps[k];
        if (!ends[unit].empty()) {
          EXPECT_GE(step.begin, ends[unit].back());
        }
        if (p.waits[k] > 0) {
          EXPECT_GE(step.begin, ends[1 - unit].at(p.waits[k] - 1));
        }
        EXPECT_GE(step.end, step.begin + step.busy);
        overlaps += !ends[1 - unit].empty() && step.begin < ends[1 - unit].back();
        ends[unit].push_back(step.end);
        last = std::max(last, step.end);
      }
      EXPECT_EQ(pace.clocks, last);
      Program more = p;
      more.shape.bytes_a_clock *= 2;
      more.shape.map_bytes *= 2;
      EXPECT_LE(pace_of(more).clocks, pace.clocks);
    } catch (const DesignError&) {  // no unit, or no way to make the maps smaller
    }
    ASSERT_FALSE(HasFailure()) << "graph " << i;
  }
  EXPECT_GT(overlaps, 0u);
}

}  // namespace kumiki::gen::engine::pace_test
