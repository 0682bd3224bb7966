// SPDX-License-Identifier: Apache-2.0
// Beats that wait: small depths, memories of LUTs and block memories, wide beats.
#include <gtest/gtest.h>

#include "gen/hdl/hierarchy.h"
#include "gen/layers/pipeline/build.h"
#include "gen/layers/pipeline/machines/fifo.h"
#include "gen/operators/concat/machine.h"
#include "tests/support/levels.h"
#include "tests/support/machine_layer.h"

namespace kumiki::gen::pipeline::fifo_test {

test::Machines all_depths() {
  test::Machines all;
  for (const std::int64_t depth : {2, 3, 4, 5, 7, 8, 64, 96, 128})
    for (const std::int64_t lanes : {1, 3})
      all.push_back(machine(
          FifoPlan{.stream = {.width = 5, .channels = 7, .lanes = lanes, .format = {8, true}},
                   .depth = depth}));
  return all;
}

TEST(PipelineFifo, EveryDepthWithStallsAndResets) {
  test::MachineRig rig(all_depths());
  rig.run_native(2000);
  rig.run_lanes(200);
}

TEST(PipelineFifo, ABeatWiderThanAMemory) {
  test::MachineRig rig({machine(
      FifoPlan{.stream = {.channels = 600, .lanes = 600, .format = {8, false}}, .depth = 4})});
  rig.run_native(500);
}

TEST(PipelineFifo, HasTheLevelsThatItStates) {
  for (const std::int64_t depth : {2, 64, 1 << 15, 33 << 10, 1 << 16, 97 << 10, 1 << 17}) {
    const FifoPlan plan{.stream = {.lanes = 2, .format = {8, true}}, .depth = depth};
    test::MachineRig rig({machine(plan)});
    test::expect_levels(rig.design(), plan.levels(), std::to_string(depth));
  }
}

// A LUT in front of each of them joins the readies of both.
TEST(PipelineFifo, KeepsItsLevelsWhereBranchesBegin) {
  for (const std::int64_t depth : {64, 1 << 15, 1 << 16}) {
    const FifoPlan queue{.stream = {.lanes = 2, .format = {8, true}}, .depth = depth};
    const ConcatPlan both{.streams = {queue.stream, queue.stream}, .along = Along::frames};
    const PipelinePlan plan{.graph = nullptr,
                            .inputs = {queue.stream},
                            .boxes = {{"a", machine(queue), {Box::from_outside}},
                                      {"b", machine(queue), {Box::from_outside}},
                                      {"outputs", machine(both), {0, 1}}}};
    Builder builder;
    build_top(builder, build_pipeline, plan, input_shape(plan));
    test::expect_levels(builder.design(), plan.levels(), std::to_string(depth));
  }
}

TEST(PipelineFifo, WrongCellsAreSeen) {
  test::MachineRig rig(
      {machine(FifoPlan{.stream = {.channels = 4, .lanes = 2, .format = {4, true}}, .depth = 4})});
  rig.expect_mutants_seen(60);
}

}  // namespace kumiki::gen::pipeline::fifo_test
