// SPDX-License-Identifier: Apache-2.0
// Beats that are cut or put together: lanes that divide each other, channels that fill no block.
#include <gtest/gtest.h>

#include "gen/layers/pipeline/machines/width.h"
#include "ir/resources.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"

namespace kumiki::gen::pipeline::width_test {

std::vector<WidthPlan> sweep() {
  std::vector<WidthPlan> all;
  int turn = 0;
  for (const std::int64_t channels : {1, 2, 3, 5, 6, 8, 9, 13})
    for (const auto& [from, to] : {std::pair{1, 2},
                                   {2, 1},
                                   {1, 3},
                                   {3, 1},
                                   {2, 6},
                                   {6, 2},
                                   {1, 4},
                                   {4, 1},
                                   {4, 8},
                                   {8, 4},
                                   {2, 8},
                                   {8, 1}}) {
      const std::int64_t pixels = 1 + turn++ % 3;
      all.push_back({.stream = {.width = pixels,
                                .channels = channels,
                                .lanes = from,
                                .format = {1 + turn % 5, turn % 2 == 0}},
                     .lanes = to});
    }
  return all;
}

// The numbers stay what they are.
graph::Graph same_numbers(const Stream& stream) {
  const graph::Tensor tensor{.name = "x", .shape = test::shape_of(stream), .format = stream.format};
  graph::Graph g{.name = "same", .tensors = {tensor, tensor}, .outputs = {1}};
  g.tensors[1].name = "y";
  g.nodes.push_back({.name = "same", .op = graph::Reshape{}, .inputs = {0}, .output = 1});
  return g;
}

TEST(PipelineWidth, WhatIsLegal) {
  const Stream six{.channels = 10, .lanes = 6, .format = {8, true}};
  for (const std::int64_t lanes : {1, 2, 3, 12, 18})
    EXPECT_TRUE(legal(WidthPlan{six, lanes})) << lanes;
  for (const std::int64_t lanes : {0, 4, 5, 6, 9})
    EXPECT_FALSE(legal(WidthPlan{six, lanes})) << lanes;
}

TEST(PipelineWidth, EveryFrameThroughEveryPairOfLanes) {
  for (const WidthPlan& plan : sweep())
    test::FrameRig(machine(plan)).expect_frames(same_numbers(plan.stream), 6, 3);
}

TEST(PipelineWidth, LockstepWithStallsAndResets) {
  test::MachineRig rig(test::machines_of(sweep(), 5));
  rig.run_native(2000);
  rig.run_lanes(150);
}

// Neither 6 nor 4 divides the other: 13 channels are 3 beats of 6, 7 of 2, 4 of 4, 2 of 12.
TEST(PipelineWidth, ByWayOfTheCommonDivisorOrTheCommonMultiple) {
  const Stream six{.width = 5, .channels = 13, .lanes = 6, .format = {8, true}};
  const auto narrow = width_plans(six, 4, 35), wide = width_plans(six, 4, 34);
  ASSERT_EQ(narrow.size(), 2u);
  EXPECT_EQ(narrow[0].lanes, 2);
  EXPECT_EQ(narrow[0].schedule().interval(), 35);
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_EQ(wide[0].lanes, 12);
  EXPECT_EQ(wide[0].schedule().interval(), 15);
  EXPECT_EQ(wide[1].schedule().interval(), 20);
  for (const auto& plans : {narrow, wide}) {
    EXPECT_EQ(plans[0].stream, six);
    EXPECT_EQ(plans[1].stream, plans[0].output());
    EXPECT_EQ(plans[1].output().lanes, 4);
    EXPECT_TRUE(legal(plans[0]) && legal(plans[1]));
  }
  EXPECT_TRUE(width_plans(six, 6, 1).empty());
  ASSERT_EQ(width_plans(six, 12, 1).size(), 1u);
}

TEST(PipelineWidth, AtMostThreeLevelsAndALutABit) {
  for (const auto& [from, to] :
       {std::pair{64, 8}, {8, 64}, {128, 64}, {1, 100}, {100, 1}, {16, 2}}) {
    const WidthPlan plan{
        .stream = {.width = 7, .channels = 250, .lanes = from, .format = {8, true}}, .lanes = to};
    test::FrameRig rig(machine(plan));
    test::expect_levels(rig.design(), plan.levels(), plan.text());
    const auto cost = ir::count_resources(rig.design()).total;
    EXPECT_LE(cost.luts, 8 * std::max(from, to) + 40) << plan.text();
  }
}

TEST(PipelineWidth, WrongCellsAreSeen) {
  for (const auto& [from, to] : {std::pair{6, 2}, {2, 6}})
    test::MachineRig({machine(WidthPlan{
                         .stream = {.width = 3, .channels = 8, .lanes = from, .format = {3, true}},
                         .lanes = to})})
        .expect_mutants_seen(30);
}

}  // namespace kumiki::gen::pipeline::width_test
