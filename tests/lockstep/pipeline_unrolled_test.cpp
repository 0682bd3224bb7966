// SPDX-License-Identifier: Apache-2.0
// Layers in LUTs as machines: one or several behind each other, their sums as they are or as
// numbers, maps of several pixels, groups. The judge is the interpreter of graphs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "gen/graph/interpret.h"
#include "gen/layers/pipeline/lower.h"
#include "gen/layers/pipeline/node_choices.h"
#include "gen/operators/conv/unrolled.h"
#include "ir/resources.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::unrolled_test {

using graph::Graph;
using test::Numbers;
using ::testing::ElementsAre;
using Machines = std::vector<std::shared_ptr<const Machine>>;

struct Dense {
  int out = 1;
  arith::Format result{32, true};
  int zero = 0, groups = 1, weight_bits = 6, bias = 100;
  float scale = 1;
  bool same_scale = false;  // for all channels
};

struct Case {
  graph::Shape in{1, 1, 1};
  arith::Format numbers{8, false};
  int zero = 0;
  std::vector<Dense> layers;
};

Graph graph_of(const Case& c) {
  std::uint64_t state = 11;
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low +
           static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(high - low + 1));
  };
  Graph g{.name = "dense", .tensors = {{"x", c.in, c.numbers, c.zero}}, .outputs = {}};
  for (const Dense& d : c.layers) {
    const graph::Shape in = g.tensors.back().shape;
    graph::Conv conv{.groups = d.groups, .scales = {}};
    const std::int64_t most = d.weight_bits == 0 ? 0 : (1 << (d.weight_bits - 1)) - 1;
    for (int i = 0; i < d.out * in[0] / d.groups; ++i)
      conv.weights.push_back(
          static_cast<std::int16_t>(d.weight_bits == 1 ? 2 * pick(0, 1) - 1 : pick(-most, most)));
    for (int i = 0; i < d.out; ++i) {
      conv.bias.push_back(static_cast<std::int32_t>(pick(-d.bias, d.bias)));
      conv.scales.push_back(d.scale == 1 || d.same_scale
                                ? d.scale
                                : d.scale * static_cast<float>(pick(80, 120)) / 100);
    }
    g.tensors.push_back(
        {fmt::format("t{}", g.tensors.size()), {d.out, in[1], in[2]}, d.result, d.zero});
    g.nodes.push_back({fmt::format("dense{}", g.nodes.size()),
                       conv,
                       {g.tensors.size() - 2},
                       g.tensors.size() - 1});
  }
  g.outputs = {g.tensors.size() - 1};
  graph::require_legal(g);
  return g;
}

PipelinePlan plan_of(const Graph& g, std::int64_t clocks) {
  NodeChoices all;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (std::holds_alternative<graph::Conv>(g.nodes[i].op)) all.in_luts.insert(i);
  return lowered(Foldings(std::make_shared<const Graph>(g), {}, all), clocks);
}

// All of it is one machine.
std::shared_ptr<const Machine> machine_of(const Case& c) {
  const PipelinePlan plan = plan_of(graph_of(c), c.in[1] * c.in[2]);
  EXPECT_EQ(plan.boxes.size(), 1U);
  EXPECT_EQ(plan.boxes[0].machine->kind(), "unrolled");
  return plan.boxes[0].machine;
}

std::vector<Case> cases() {
  const arith::Format u6{6, false}, u8{8, false}, s8{8, true}, s4{4, true};
  return {
      // Sums as they are, and with a bias; one of everything; weights of 0; groups.
      {.in = {5, 1, 1}, .layers = {{.out = 3, .bias = 0}}},
      {.in = {4, 2, 3}, .numbers = s8, .zero = -5, .layers = {{.out = 3}}},
      {.layers = {{}}},
      {.in = {3, 1, 2}, .layers = {{.out = 2, .weight_bits = 0}}},
      {.in = {6, 1, 1}, .numbers = s4, .layers = {{.out = 4, .groups = 2}}},
      // Numbers: signed and not, with zero points, of one bit, of 16.
      {.in = {9, 1, 1}, .layers = {{.out = 7, .result = u8, .scale = 0.013F}}},
      {.in = {7, 3, 1},
       .numbers = s8,
       .zero = 11,
       .layers = {{.out = 5, .result = s8, .zero = -7, .bias = 3000, .scale = 0.009F}}},
      {.in = {8, 1, 1}, .layers = {{.out = 3, .result = {1, false}, .scale = 0.0003F}}},
      {.in = {3, 1, 1},
       .numbers = {16, true},
       .layers = {{.out = 3, .result = u8, .scale = 0.00007F}}},
      // All results the same: nothing reaches the next one.
      {.in = {2, 1, 1}, .layers = {{.out = 2, .result = u8, .bias = 1, .scale = 0.000001F}}},
      // Layers behind each other, binary ones among them.
      {.in = {8, 1, 1},
       .numbers = u6,
       .layers = {{.out = 10, .result = u6, .scale = 0.012F},
                  {.out = 6, .result = u6, .zero = 9, .scale = 0.02F},
                  {.out = 3}}},
      {.in = {12, 2, 2},
       .numbers = {1, false},
       .layers = {{.out = 5, .result = {3, false}, .weight_bits = 1, .scale = 0.6F},
                  {.out = 4, .weight_bits = 1, .bias = 0}}},
      // Ties at every second sum and at every 128th one.
      {.in = {5, 1, 1},
       .numbers = s4,
       .layers = {{.out = 4, .result = s8, .zero = 3, .scale = 0.5F, .same_scale = true},
                  {.out = 3, .result = u6, .scale = 0.0078125F, .same_scale = true}}},
      // Products that float32 rounds: exceptions.
      {.in = {40, 1, 1},
       .layers = {{.out = 6, .result = u8, .weight_bits = 8, .bias = 20000, .scale = 0.00093F}}},
  };
}

TEST(PipelineUnrolled, FramesAreWhatTheGraphMakesOfThem) {
  std::size_t exceptions = 0;
  for (const Case& c : cases()) {
    const Graph g = graph_of(c);
    const graph::Interpreter judge(g);
    const auto made = machine_of(c);
    std::vector<std::vector<Numbers>> frames(1);
    std::vector<Numbers> wanted;
    for (std::uint64_t f = 0; f < 12; ++f) {
      frames[0].push_back(test::random_tensor(made->inputs()[0], f + 1));
      wanted.push_back(judge.run_all(frames[0].back(), g.outputs[0], 1));
    }
    test::FrameRig(made).expect_frames(frames, wanted);
    const LutMatrix matrix = lut_matrix(g, g.nodes[0]);
    if (const auto numbers = lut_numbers(g, g.nodes[0], matrix))
      for (const LutNumbers::Lane& lane : numbers->lanes) exceptions += lane.exceptions.size();
  }
  EXPECT_GT(exceptions, 0U);
}

// x0 + 16 x1 reaches every sum; a scale of 3 / 64 has ties: 32 is 1.5, 96 is 4.5. By hand: to the
// even neighbour, of both signs and of both kinds of zero points.
TEST(PipelineUnrolled, TiesGoToTheEvenNeighbour) {
  for (const int zero : {20, 21}) {
    Graph g = graph_of({.in = {2, 1, 1}, .numbers = {8, true}, .layers = {{.out = 1}}});
    auto& conv = std::get<graph::Conv>(g.nodes[0].op);
    conv.weights = {1, 16};
    conv.bias = {64};
    conv.scales = {3.0F / 64};
    g.tensors[1].format = {6, false};
    g.tensors[1].zero_point = zero;
    const auto numbers = lut_numbers(g, g.nodes[0], lut_matrix(g, g.nodes[0]));
    ASSERT_TRUE(numbers);
    EXPECT_TRUE(numbers->lanes[0].even);
    EXPECT_TRUE(numbers->lanes[0].exceptions.empty());
    std::vector<std::vector<Numbers>> frames(1);
    std::vector<Numbers> wanted;
    for (int x1 = -60; x1 < 60; ++x1)
      for (const int x0 : {-1, 0, 1}) {
        frames[0].push_back({x0, x1});
        const int product = 3 * (x0 + 16 * x1 + 64) + 64 * 1000;  // above 0, 1000 more
        const int whole = product / 64, rest = product % 64;
        const bool up = rest > 32 || (rest == 32 && whole % 2 == 1);
        wanted.push_back({std::clamp(whole + (up ? 1 : 0) - 1000 + zero, 0, 63)});
      }
    const PipelinePlan plan = plan_of(g, 1);
    ASSERT_EQ(plan.boxes.size(), 1U);
    test::FrameRig(plan.boxes[0].machine).expect_frames(frames, wanted);
  }
}

TEST(PipelineUnrolled, StallsAndResets) {
  Machines all;
  for (const Case& c : cases()) all.push_back(machine_of(c));
  test::MachineRig rig(all);
  rig.run_native(1500);
  rig.run_lanes(40);
}

TEST(PipelineUnrolled, NoSliceAndNoMoreLevelsThanPromised) {
  for (const Case& c : cases()) {
    const auto made = machine_of(c);
    test::MachineRig rig({made});
    test::expect_levels(rig.design(), made->levels(), made->text());
    EXPECT_EQ(ir::count_resources(rig.design()).total.dsps, 0U);
    EXPECT_EQ(ir::count_resources(rig.design()).total.brams_18k, 0U);
  }
}

TEST(PipelineUnrolled, WrongCellsAreSeen) {
  test::MachineRig rig({machine_of(cases()[5])});
  rig.expect_mutants_seen(20, 600, 1000, true);
}

// Sums of more bits than float32 has are far from any line: thresholds, which are in LUTs too.
TEST(PipelineUnrolled, WhatNoLineIsGetsThresholds) {
  const Case c{
      .in = {6, 1, 1},
      .numbers = {16, true},
      .layers = {
          {.out = 3, .result = {8, true}, .zero = 5, .weight_bits = 15, .scale = 1.0F / (1 << 23)},
          {.out = 2}}};
  const Graph g = graph_of(c);
  const PipelinePlan plan = plan_of(g, 1);
  std::vector<std::string> kinds;
  for (const Box& b : plan.boxes) kinds.push_back(b.machine->kind());
  EXPECT_THAT(kinds, ElementsAre("unrolled", "thresholds", "unrolled"));
  EXPECT_EQ(plan.slices(), 0);
  const graph::Interpreter judge(g);
  std::vector<std::vector<Numbers>> frames(1);
  std::vector<Numbers> wanted;
  for (std::uint64_t f = 0; f < 60; ++f) {
    const Numbers image = test::random_tensor(plan.input(), f + 1);
    graph::Interpreter::Memory memory;
    judge.run(image, memory);
    wanted.push_back(memory[1]);
    Numbers sums;
    const auto& conv = std::get<graph::Conv>(g.nodes[0].op);
    for (std::size_t o = 0; o < 3; ++o)
      sums.push_back(std::inner_product(image.begin(), image.end(),
                                        conv.weights.begin() + static_cast<std::ptrdiff_t>(6 * o),
                                        0));
    frames[0].push_back(sums);
  }
  test::FrameRig(plan.boxes[1].machine).expect_frames(frames, wanted);
}

// A binarised layer behind steps that leave -1 and 1: a bit of each is read, which takes fewer LUTs
// than reading both.
TEST(PipelineUnrolled, SignsAreOneBit) {
  Graph g = graph_of(
      {.in = {6, 1, 1},
       .layers = {{.out = 24, .result = {24, true}},
                  {.out = 9, .result = {8, true}, .zero = 3, .weight_bits = 1, .scale = 3.1F},
                  {.out = 3}}});
  // Steps between the first two.
  g.tensors.push_back({"signs", g.tensors[1].shape, {2, true}});
  graph::Thresholds steps{.lowest = -1, .levels = 2};
  for (int c = 0; c < 24; ++c) steps.begins.insert(steps.begins.end(), 2, 40 * c - 500);
  g.nodes.insert(g.nodes.begin() + 1, {"steps", steps, {1}, g.tensors.size() - 1});
  g.nodes[2].inputs = {g.tensors.size() - 1};
  graph::require_legal(g);
  EXPECT_TRUE(are_signs(g, g.nodes[2].inputs[0]));
  EXPECT_FALSE(are_signs(g, g.nodes[0].inputs[0]));

  const auto luts_of = [](const std::shared_ptr<const Machine>& m) {
    test::MachineRig rig(Machines{m});
    return ir::count_resources(rig.design()).total.luts;
  };
  const PipelinePlan plan = plan_of(g, 1);
  ASSERT_EQ(plan.boxes.size(), 3U);
  const auto& made = plan.boxes[2].machine;
  std::vector<std::vector<Numbers>> frames(1);
  std::vector<Numbers> wanted;
  const graph::Interpreter judge(g);
  for (std::uint64_t f = 0; f < 30; ++f) {
    graph::Interpreter::Memory memory;
    judge.run(test::random_tensor(plan.input(), f + 1), memory);
    frames[0].push_back(memory[g.nodes[2].inputs[0]]);
    for (const auto x : frames[0].back()) ASSERT_TRUE(x == -1 || x == 1);
    wanted.push_back(memory[g.outputs[0]]);
  }
  test::FrameRig(made).expect_frames(frames, wanted);
  test::MachineRig(Machines{made}).run_native(600);

  // With a channel that has a 0.
  std::get<graph::Thresholds>(g.nodes[1].op).begins[1] += 1;
  EXPECT_FALSE(are_signs(g, g.nodes[2].inputs[0]));
  EXPECT_LT(luts_of(made), luts_of(plan_of(g, 1).boxes[2].machine));
}

// Worked out by hand: a vector a clock, also where a frame has more clocks than that.
TEST(PipelineUnrolled, AVectorEveryClockWhateverThePace) {
  Graph g = graph_of({.in = {4, 1, 1}, .layers = {{.out = 3}}});
  auto& conv = std::get<graph::Conv>(g.nodes[0].op);
  conv.weights = {1, 2, 3, 4, -1, -2, -3, -4, 127, -128, 0, 1};
  conv.bias = {5, 0, -7};
  for (const std::int64_t clocks : {1, 4}) {
    const PipelinePlan plan = plan_of(g, clocks);
    EXPECT_EQ(plan.input().lanes, clocks == 1 ? 4 : 1);
    const auto& last = *plan.boxes.back().machine;
    EXPECT_EQ(last.kind(), "unrolled");
    EXPECT_EQ(last.interval(), 1);
    test::FrameRig(plan.boxes.back().machine)
        .expect_frames({{{1, 10, 100, 255}, {0, 0, 0, 0}}}, {{1346, -1341, -905}, {5, 0, -7}});
  }
}

}  // namespace kumiki::gen::pipeline::unrolled_test
