// SPDX-License-Identifier: Apache-2.0
// Every number of a map several times: factors, small maps, lanes that do not divide the channels,
// memories of both kinds.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "backends/timing/levels.h"
#include "gen/graph/interpret.h"
#include "gen/operators/resize/machine.h"
#include "tests/support/cache.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"

namespace kumiki::gen::pipeline::resize_test {

std::shared_ptr<const Machine> made(const ResizePlan& p) { return machine(p); }

std::vector<ResizePlan> sweep() {
  std::vector<ResizePlan> all;
  int turn = 0;
  for (const int rows : {1, 2, 3})
    for (const int columns : {1, 2, 3, 4})
      for (const int height : {1, 2, 5})
        for (const int width : {1, 2, 3}) {
          const int channels[] = {1, 3, 4, 5, 2}, lanes[] = {1, 2, 4, 2, 1, 3},
                    bits[] = {8, 1, 4, 16};
          const ResizePlan p{.stream = {.height = height,
                                        .width = width,
                                        .channels = channels[turn % 5],
                                        .lanes = lanes[turn % 6],
                                        .format = {bits[turn % 4], turn % 2 == 0}},
                             .factor = {rows, columns}};
          ++turn;
          if (rows * columns > 1) all.push_back(p);
        }
  return all;
}

// Lines in registers or LUTs, in block memories, of one beat.
std::vector<ResizePlan> with_memories() {
  return {{.stream = {.height = 3, .width = 40, .channels = 6, .lanes = 3, .format = {8, true}},
           .factor = {2, 2}},
          {.stream = {.height = 2, .width = 5, .channels = 70, .lanes = 1, .format = {3, false}},
           .factor = {1, 3}},
          {.stream = {.height = 4, .width = 1, .channels = 1, .lanes = 1, .format = {8, false}},
           .factor = {2, 1}},
          {.stream = {.height = 4, .width = 33, .channels = 1, .lanes = 1, .format = {8, false}},
           .factor = {4, 1}}};
}

void expect_right_frames(const ResizePlan& p) {
  const graph::Graph g{
      .name = "resize",
      .tensors = {{.name = "x", .shape = test::shape_of(p.stream), .format = p.stream.format},
                  {.name = "y", .shape = test::shape_of(p.output()), .format = p.stream.format}},
      .nodes = {{.name = "resize", .op = graph::Resize{p.factor}, .inputs = {0}, .output = 1}},
      .outputs = {1}};
  const graph::Interpreter judge(g);
  std::vector<test::Numbers> frames, wanted;
  for (std::uint64_t f = 0; f < 4; ++f) {
    frames.push_back(test::random_tensor(p.stream, f + 1));
    graph::Interpreter::Memory memory;
    judge.run(frames.back(), memory);
    wanted.push_back(memory[1]);
  }
  test::FrameRig(made(p)).expect_frames({frames}, wanted);
}

TEST(PipelineResize, TheDefinitionRepeatsEveryNumber) {
  const graph::Graph g{
      .name = "resize",
      .tensors = {{.name = "x", .shape = {1, 2, 2}}, {.name = "y", .shape = {1, 4, 6}}},
      .nodes = {{.name = "r", .op = graph::Resize{{2, 3}}, .inputs = {0}, .output = 1}},
      .outputs = {1}};
  graph::Interpreter::Memory memory;
  graph::Interpreter(g).run(std::vector<std::int32_t>{1, 2, 3, 4}, memory);
  EXPECT_EQ(memory[1], (std::vector<std::int32_t>{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2,
                                                  3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4}));
}

TEST(PipelineResize, FramesAreThoseOfTheGraphAndComeInTheirInterval) {
  auto all = sweep();
  for (const ResizePlan& p : with_memories()) all.push_back(p);
  for (const ResizePlan& p : all) {
    SCOPED_TRACE(p.text());
    ASSERT_EQ(p.why_not(), std::nullopt);
    ASSERT_NO_THROW(expect_right_frames(p));
    if (HasFailure()) break;
  }
}

TEST(PipelineResize, SmallShapesWithStallsAndResets) {
  std::vector<std::shared_ptr<const Machine>> machines;
  for (const ResizePlan& p : with_memories()) machines.push_back(made(p));
  test::MachineRig memories(machines);
  memories.run_native(3000);
  memories.run_lanes(100);
  const auto all = sweep();
  for (std::size_t i = 0; i < all.size(); i += 4) machines.push_back(made(all[i]));
  test::MachineRig rig(machines);
  EXPECT_EQ(ir::check(rig.design(), {.warnings = false}).size(), 0u);
  rig.run_native(1500);
}

TEST(PipelineResize, OnVerilator) {
  std::vector<std::shared_ptr<const Machine>> machines;
  for (const ResizePlan& p : with_memories()) machines.push_back(made(p));
  test::MachineRig(machines).run_verilated(2000, test::shared_cache);
}

TEST(PipelineResize, AtMostThreeLevelsBetweenRegisters) {
  auto plans = with_memories();
  for (const int lanes : {1, 20})
    plans.push_back(
        {.stream =
             {.height = 320, .width = 320, .channels = 128, .lanes = lanes, .format = {8, true}},
         .factor = {2, 2}});
  for (const ResizePlan& p : plans) {
    test::MachineRig rig({made(p)});
    const auto depth = backends::logic_depth(rig.design());
    EXPECT_LE(depth.total(), 3u) << p.text() << fmt::format("{}", fmt::join(depth.path, "\n"));
  }
}

TEST(PipelineResize, WhatCannotBeBuiltSaysWhy) {
  EXPECT_EQ(ResizePlan({.stream = {.format = {17, true}}}).why_not(),
            "numbers of 17 bits: they must have 1 to 16");
  EXPECT_EQ(ResizePlan({.stream = {.width = 70'000}}).why_not(),
            "a line of 70000 beats: it must have at most 65536");
}

TEST(PipelineResize, WrongCellsAreSeen) {
  const Stream s{.height = 3, .width = 3, .channels = 3, .lanes = 2, .format = {4, true}};
  test::MachineRig rig({made({.stream = s, .factor = {2, 2}})});
  rig.expect_mutants_seen(30, 600, 1200);
}

}  // namespace kumiki::gen::pipeline::resize_test
