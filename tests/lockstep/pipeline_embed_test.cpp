// SPDX-License-Identifier: Apache-2.0
// Vectors of a table for indices from either end of it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/operators/embed/machine.h"
#include "ir/resources.h"
#include "tests/support/cache.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/pipeline_runs.h"

namespace kumiki::gen::pipeline::embed_test {

std::vector<std::int16_t> table(std::int64_t numbers) {
  std::vector<std::int16_t> all;
  for (std::int64_t i = 0; i < numbers; ++i)
    all.push_back(static_cast<std::int16_t>(i * i * 7 % 255 - 127));
  return all;
}

EmbedPlan plan_of(std::int64_t rows, const Stream& indices) {
  return {.stream = indices, .format = {8, true}, .vectors = table(rows * indices.width)};
}

std::vector<EmbedPlan> sweep() {
  const auto indices = [](std::int64_t height, std::int64_t width, std::int64_t channels,
                          std::int64_t lanes, const arith::Format& format) {
    return Stream{
        .height = height, .width = width, .channels = channels, .lanes = lanes, .format = format};
  };
  return {plan_of(5, indices(1, 3, 4, 1, {4, true})),  plan_of(8, indices(1, 4, 3, 2, {4, true})),
          plan_of(8, indices(2, 1, 3, 3, {3, false})), plan_of(1, indices(1, 5, 2, 2, {1, true})),
          plan_of(7, indices(3, 2, 1, 1, {5, false})), plan_of(16, indices(1, 2, 2, 1, {3, false})),
          plan_of(4, indices(2, 7, 5, 2, {3, true}))};
}

TEST(PipelineEmbed, LockstepWithStallsAndResets) {
  test::MachineRig rig(test::machines_of(sweep()));
  rig.run_native(1500);
  rig.run_lanes(100);
}

TEST(PipelineEmbed, OnVerilator) {
  test::MachineRig(test::machines_of(sweep())).run_verilated(2000, test::shared_cache);
}

TEST(PipelineEmbed, WrongCellsAreSeen) {
  test::MachineRig({machine(sweep()[0])}).expect_mutants_seen(20, 600, 1200);
}

TEST(PipelineEmbed, AtMostThreeLevelsAndAMemoryALane) {
  const EmbedPlan p = plan_of(256, {.width = 32, .channels = 16, .lanes = 2, .format = {9, true}});
  ASSERT_EQ(p.why_not(), std::nullopt);
  test::MachineRig rig({machine(p)});
  test::expect_levels(rig.design(), p.levels());
  // 8,192 numbers of 8 bits a lane, because an index below 0 is in the same place.
  EXPECT_EQ(ir::count_resources(rig.design()).total.brams_18k, 2 * 4U);
}

TEST(PipelineEmbed, ATableThatIsTooLargeIsRefused) {
  EXPECT_EQ(plan_of(5000, {.width = 64, .format = {14, true}}).why_not(),
            "its table of 5000 x 64 numbers takes 1048576 words; they must be at most 262144");
}

// Of an axis of indices and of two, whose vectors become the last axis.
TEST(PipelineEmbed, AsPipelines) {
  for (const graph::Shape& indices : {graph::Shape{6}, {3, 4}})
    for (const int rows : {5, 8}) {
      graph::Shape made = indices;
      made.push_back(3);
      const graph::Graph g{.name = "words",
                           .tensors = {{"x", indices, {5, true}}, {"y", made, {8, true}}},
                           .nodes = {{.name = "words",
                                      .op = graph::Embed{.size = 3, .vectors = table(rows * 3)},
                                      .inputs = {0},
                                      .output = 1}},
                           .outputs = {1}};
      graph::require_legal(g);
      const Foldings foldings(std::make_shared<const graph::Graph>(streamed(g)), {});
      for (const std::int64_t clocks : {100, 18, 12}) {
        PipelinePlan plan = with_queues(lowered(foldings, clocks));
        plan.graph = std::make_shared<const graph::Graph>(g);
        SCOPED_TRACE(fmt::format("{} rows in {} clocks", rows, clocks));
        ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, plan, 1));
        ASSERT_NO_FATAL_FAILURE(runs::expect_pace(g, plan));
      }
    }
}

}  // namespace kumiki::gen::pipeline::embed_test
