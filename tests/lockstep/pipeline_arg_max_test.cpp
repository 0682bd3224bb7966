// SPDX-License-Identifier: Apache-2.0
// The index of the largest number of a vector.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/text.h"
#include "gen/operators/arg_max/machine.h"
#include "ir/resources.h"
#include "tests/support/cache.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/pipeline_runs.h"

namespace kumiki::gen::pipeline::arg_max_test {

ArgMaxPlan plan_of(std::int64_t numbers, const arith::Format& format) {
  return {.stream = {.channels = numbers, .format = format}, .format = {32, true}};
}

graph::Graph graph_of(const ArgMaxPlan& p) {
  return {.name = "best",
          .tensors = {{"x", {static_cast<int>(p.stream.channels)}, p.stream.format},
                      {"y", {1}, p.format}},
          .nodes = {{.name = "best", .op = graph::ArgMax{}, .inputs = {0}, .output = 1}},
          .outputs = {1}};
}

std::vector<ArgMaxPlan> sweep() {
  std::vector<ArgMaxPlan> all;
  for (const std::int64_t numbers : {1, 2, 3, 10, 33})
    for (const arith::Format& format :
         {arith::Format{1, false}, {2, true}, {8, true}, {8, false}, {21, true}})
      all.push_back(plan_of(numbers, format));
  return all;
}

// Numbers of one or two bits are often equal.
TEST(PipelineArgMax, TheFirstOfEqualOnesInItsInterval) {
  for (const ArgMaxPlan& p : sweep()) {
    SCOPED_TRACE(p.text());
    ASSERT_NO_THROW(test::FrameRig(machine(p)).expect_frames(graph_of(p), 12, 3));
    if (HasFailure()) break;
  }
}

TEST(PipelineArgMax, LockstepWithStallsAndResets) {
  test::MachineRig(test::machines_of(sweep(), 5)).run_lanes(100);
  test::MachineRig rig(test::machines_of(sweep()));
  rig.run_native(1500);
}

TEST(PipelineArgMax, OnVerilator) {
  test::MachineRig(test::machines_of(sweep(), 6)).run_verilated(2000, test::shared_cache);
}

TEST(PipelineArgMax, WrongCellsAreSeen) {
  test::MachineRig({machine(plan_of(5, {3, true}))}).expect_mutants_seen(30, 600, 1200);
}

TEST(PipelineArgMax, NoMoreLevelsThanPromisedAndFewLuts) {
  for (const int bits : {8, 16, 32}) {
    const ArgMaxPlan p = plan_of(1000, {bits, true});
    test::MachineRig rig({machine(p)});
    test::expect_levels(rig.design(), p.levels(), p.text());
    EXPECT_LE(ir::count_resources(rig.design()).total.luts, 80 + 3 * static_cast<unsigned>(bits));
  }
}

TEST(PipelineArgMax, BehindADenseLayer) {
  const graph::Graph g = graph::parse_graph(
      "g",
      "graph g\ntensor x u8 4x1x1 scale 0x1p-3 zero 3\ntensor z s8 5x1x1 scale 0x1p-1 zero -4\n"
      "tensor f s8 5 scale 0x1p-1 zero -4\ntensor y s32 1\ninput x\noutput y\n"
      "conv fc x -> z kernel 1x1\n  scales 0x1p-7\n  bias 1 2 3 4 5\n  weights 9 -8 7 -6\n"
      "  weights 2 3 -4 5\n  weights 1 1 1 1\n  weights -1 -1 2 1\n  weights 7 -5 3 -4\n"
      "reshape r z -> f\narg_max best f -> y\n");
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto plan = runs::pipeline_of(g, seed);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->boxes.back().machine->kind(), "arg_max");
    ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, *plan, seed));
    ASSERT_NO_FATAL_FAILURE(runs::expect_pace(g, *plan));
  }
}

}  // namespace kumiki::gen::pipeline::arg_max_test
