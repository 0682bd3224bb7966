// SPDX-License-Identifier: Apache-2.0
// Constants beside a stream, and sums with them.
#include <gtest/gtest.h>

#include "gen/operators/constant/machine.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/pipeline_runs.h"

namespace kumiki::gen::pipeline::constant_test {

std::vector<ConstantPlan> sweep() {
  std::vector<ConstantPlan> all;
  int turn = 0;
  for (const int height : {1, 3})
    for (const int width : {1, 4})
      for (const int channels : {1, 2, 5, 9})
        for (const int lanes : {1, 2, 4}) {
          const int bits[] = {8, 1, 4};
          ConstantPlan plan{.stream = {.height = height,
                                       .width = width,
                                       .channels = channels,
                                       .lanes = lanes,
                                       .format = {8, false}},
                            .format = {bits[turn % 3], turn % 2 == 0}};
          ++turn;
          for (const std::int32_t n : test::random_tensor(plan.output(), 3))
            plan.values.push_back(static_cast<std::int16_t>(n));
          all.push_back(plan);
        }
  return all;
}

TEST(PipelineConstant, IsThereForEveryFrame) {
  for (const ConstantPlan& p : sweep()) {
    SCOPED_TRACE(p.text());
    const std::vector<test::Numbers> frames{test::random_tensor(p.stream, 1),
                                            test::random_tensor(p.stream, 2),
                                            test::random_tensor(p.stream, 3)},
        wanted(3, test::Numbers(p.values.begin(), p.values.end()));
    test::FrameRig rig(machine(p));
    rig.expect_frames({frames}, wanted);
    test::expect_levels(rig.design(), p.levels());
  }
}

// Some channels of the stream between channels that are constants.
std::vector<ConstantPlan> passing() {
  std::vector<ConstantPlan> all;
  for (ConstantPlan p : sweep()) {
    p.format = p.stream.format;
    p.values.clear();
    for (const std::int32_t n : test::random_tensor(p.output(), 5))
      p.values.push_back(static_cast<std::int16_t>(n));
    for (int c = 0; c < p.stream.channels; ++c) p.passing.push_back(c % 3 == 1);
    all.push_back(std::move(p));
  }
  return all;
}

TEST(PipelineConstant, ChannelsPassBesideIt) {
  for (const ConstantPlan& p : passing()) {
    SCOPED_TRACE(p.text());
    std::vector<test::Numbers> frames, wanted;
    for (std::uint64_t f = 1; f < 4; ++f) {
      frames.push_back(test::random_tensor(p.stream, f));
      wanted.emplace_back(p.values.begin(), p.values.end());
      const auto pixels = static_cast<std::size_t>(p.stream.pixels());
      for (std::size_t i = 0; i < frames.back().size(); ++i)
        if (p.passing[i / pixels]) wanted.back()[i] = frames.back()[i];
    }
    test::FrameRig rig(machine(p));
    rig.expect_frames({frames}, wanted);
    test::expect_levels(rig.design(), p.levels());
  }
}

TEST(PipelineConstant, LockstepWithStallsAndResets) {
  test::MachineRig others(test::machines_of(passing()));
  others.run_native(1500);

  test::MachineRig rig(test::machines_of(sweep()));
  rig.run_native(1500);
  test::MachineRig few(test::machines_of(sweep(), 7));
  few.run_lanes(100);
}

TEST(PipelineConstant, WrongCellsAreSeen) {
  test::MachineRig({machine(sweep()[20])}).expect_mutants_seen(30);
  test::MachineRig({machine(passing()[20])}).expect_mutants_seen(30);
}

graph::Graph sum_with_constant(bool is_first) {
  graph::Graph g{.name = "sum",
                 .tensors = {{"x", {6, 1, 7}, {8, false}, 3, 0.03F},
                             {"c", {6, 1, 7}, {8, true}, -5, 0.05F},
                             {"y", {6, 1, 7}, {8, true}, 1, 0.06F}},
                 .outputs = {2}};
  graph::Constant op;
  for (int i = 0; i < 42; ++i) op.values.push_back(static_cast<std::int16_t>(i * 37 % 256 - 128));
  g.nodes.push_back({.name = "position", .op = op, .inputs = {}, .output = 1});
  const std::vector<graph::TensorId> inputs =
      is_first ? std::vector<graph::TensorId>{1, 0} : std::vector<graph::TensorId>{0, 1};
  g.nodes.push_back({.name = "add", .op = graph::Add{}, .inputs = inputs, .output = 2});
  return g;
}

TEST(PipelineConstant, SumsWithConstantsAreAsDefined) {
  for (const bool is_first : {false, true}) {
    const graph::Graph g = sum_with_constant(is_first);
    const auto plan = runs::pipeline_of(g, 1);
    ASSERT_TRUE(plan);
    ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, *plan, 1));
    ASSERT_NO_FATAL_FAILURE(runs::expect_pace(g, *plan));
  }
}

// A class token in front of tokens, behind them and between them.
TEST(PipelineConstant, TokensThatAreConstantAreAsDefined) {
  for (const std::size_t place : {0, 1, 2}) {
    graph::Graph g{.name = "tokens",
                   .tensors = {{"x", {5, 1, 3}, {8, false}, 3, 0.03F},
                               {"z", {2, 1, 3}, {8, false}, 3, 0.03F},
                               {"c", {2, 1, 3}, {8, false}, 3, 0.03F},
                               {"y", {9, 1, 3}, {8, false}, 3, 0.03F}},
                   .outputs = {3},
                   .more_inputs = {1}};
    g.nodes.push_back({.name = "token",
                       .op = graph::Constant{.values = {9, 8, 7, 6, 5, 250}},
                       .inputs = {},
                       .output = 2});
    std::vector<graph::TensorId> parts{0, 1};
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(place), 2);
    g.nodes.push_back({.name = "concat", .op = graph::Concat{}, .inputs = parts, .output = 3});
    const auto plan = runs::pipeline_of(g, 1);
    ASSERT_TRUE(plan);
    ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, *plan, 1));
    ASSERT_NO_FATAL_FAILURE(runs::expect_pace(g, *plan));
  }
}

// Nothing says when a constant comes that no stream is beside.
TEST(PipelineConstant, OthersAreRefused) {
  graph::Graph g = sum_with_constant(false);
  g.outputs.push_back(1);
  EXPECT_FALSE(runs::pipeline_of(g, 1));
  g.outputs.pop_back();
  g.nodes[1].inputs = {1, 1};
  EXPECT_FALSE(runs::pipeline_of(g, 1));
}

}  // namespace kumiki::gen::pipeline::constant_test
