// SPDX-License-Identifier: Apache-2.0
// The largest number of every window: kernels, strides, dilations and padding on small maps, lanes
// that do not divide the channels, memories of both kinds.
#include <gtest/gtest.h>

#include "gen/operators/max_pool/machine.h"
#include "ir/resources.h"
#include "tests/support/cache.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::max_pool_test {

using graph::Window;

struct Case {
  Stream stream;
  Window window;
};

MaxPoolPlan plan_of(const Case& c) { return {.stream = c.stream, .window = c.window}; }
Window square(int kernel, int stride, int dilation = 1, int before = 0, int after = 0) {
  return {.kernel = {kernel, kernel},
          .stride = {stride, stride},
          .dilation = {dilation, dilation},
          .before = {before, before},
          .after = {after, after}};
}

// Maps of 1 to 7 with every small window that fits; channels, lanes and formats in turn.
std::vector<MaxPoolPlan> sweep() {
  std::vector<MaxPoolPlan> all;
  int turn = 0;
  for (const int kernel : {1, 2, 3, 4, 5})
    for (const int stride : {1, 2, 3})
      for (const int dilation : {1, 2})
        for (const int before : {0, 1, 2})
          for (const int after : {0, 1}) {
            const int width = 3 + turn % 5, height = 1 + turn % 7;
            Window w = square(kernel, stride, dilation, std::min(before, kernel - 1),
                              std::min(after, kernel - 1));
            if (turn % 3 == 0) w.kernel[0] = 1, w.before[0] = w.after[0] = 0;
            if (turn % 4 == 1) w.stride[1] = 3 - stride % 3;
            const int channels[] = {1, 3, 4, 5, 2}, lanes[] = {1, 2, 4, 2, 1, 3};
            const int bits[] = {8, 1, 4, 2, 3, 16, 5};
            MaxPoolPlan p{.stream = {.height = height,
                                     .width = width,
                                     .channels = channels[turn % 5],
                                     .lanes = lanes[turn % 6],
                                     .format = {bits[turn % 7], turn % 2 == 0}},
                          .window = w};
            ++turn;
            if (!p.why_not()) all.push_back(p);
          }
  return all;
}

graph::Graph graph_of(const MaxPoolPlan& p) {
  const Stream out = p.output();
  return {.name = "pool",
          .tensors = {{.name = "x", .shape = test::shape_of(p.stream), .format = p.stream.format},
                      {.name = "y", .shape = test::shape_of(out), .format = p.stream.format}},
          .nodes = {{.name = "pool", .op = graph::MaxPool{p.window}, .inputs = {0}, .output = 1}},
          .outputs = {1}};
}

void expect_right_frames(const MaxPoolPlan& p) {
  const graph::Graph g = graph_of(p);
  test::FrameRig(machine(p)).expect_frames(g, 4, 1);
}

TEST(PipelineMaxPool, FramesAreThoseOfTheGraphAndComeInTheirInterval) {
  for (const MaxPoolPlan& p : test::this_time(sweep(), 4)) {
    SCOPED_TRACE(p.text());
    ASSERT_NO_THROW(expect_right_frames(p));
    if (HasFailure()) break;
  }
}

TEST(PipelineMaxPool, UsualPoolsTakeABeatInEveryClock) {
  const Stream s{.height = 8, .width = 8, .channels = 4, .lanes = 2, .format = {8, false}};
  const auto interval = [&](const Window& w) {
    return MaxPoolPlan{.stream = s, .window = w}.schedule().interval();
  };
  EXPECT_EQ(interval(square(2, 2)), s.beats());
  EXPECT_EQ(interval(square(3, 2)), s.beats());
  EXPECT_EQ(interval(square(3, 2, 1, 1, 1)), s.beats());
  EXPECT_EQ(interval(square(3, 1)), s.beats());
  // What windows complete behind the last column and below the last line.
  EXPECT_EQ(interval(square(3, 1, 1, 1, 1)), 9 * 9 * 2);
}

// Rings in registers, in LUTs and in block memories, along lines and down columns.
std::vector<MaxPoolPlan> with_memories() {
  const Stream s{.height = 5, .width = 9, .channels = 10, .lanes = 1, .format = {6, true}};
  const Stream w{.height = 4, .width = 5, .channels = 70, .lanes = 1, .format = {3, false}};
  return {{.stream = s, .window = square(2, 2)},          {.stream = s, .window = square(3, 2)},
          {.stream = s, .window = square(3, 1, 1, 1, 1)}, {.stream = s, .window = square(2, 1, 2)},
          {.stream = w, .window = square(3, 2, 1, 1, 1)}, {.stream = w, .window = square(3, 1)}};
}

TEST(PipelineMaxPool, FramesFromRingsInMemories) {
  for (const MaxPoolPlan& p : with_memories()) {
    SCOPED_TRACE(p.text());
    expect_right_frames(p);
  }
}

// Every fifth plan of the sweep.
TEST(PipelineMaxPool, SmallShapesWithStallsAndResets) {
  std::vector<MaxPoolPlan> few = with_memories();
  const auto all = sweep();
  ASSERT_GT(all.size(), 100u);
  for (std::size_t i = 0; i < all.size(); i += 5) few.push_back(all[i]);
  test::MachineRig rig(test::machines_of(few));
  rig.run_native(1500);
  test::MachineRig memories(test::machines_of(with_memories()));
  memories.run_native(3000);
  memories.run_lanes(100);
}

TEST(PipelineMaxPool, AtMostThreeLevelsBetweenRegisters) {
  auto plans = with_memories();
  for (const int bits : {1, 2, 16})
    for (const int kernel : {2, 3})
      plans.push_back(
          {.stream =
               {.height = 700, .width = 1000, .channels = 64, .lanes = 20, .format = {bits, true}},
           .window = square(kernel, kernel - 1, 1, 1, 1)});
  for (const MaxPoolPlan& p : plans) {
    ASSERT_EQ(p.why_not(), std::nullopt);
    test::MachineRig rig({machine(p)});
    test::expect_levels(rig.design(), 3, p.text());
  }
}

TEST(PipelineMaxPool, OnVerilator) {
  test::MachineRig rig(test::machines_of(test::this_time(with_memories(), 6)));
  rig.run_verilated(2000, test::shared_cache);
}

// LUTs of a machine of 16 lanes of 8 bits, its memories, results and control included.
TEST(PipelineMaxPool, FewLuts) {
  const auto luts = [](const Window& w, int channels) {
    const MaxPoolPlan p{.stream = {.height = 56,
                                   .width = 56,
                                   .channels = channels,
                                   .lanes = 16,
                                   .format = {8, false}},
                        .window = w};
    Builder builder;
    builder.design().set_top(machine(p)->build_alone(builder, {}).id());
    const auto cost = ir::count_resources(builder.design()).total;
    return cost.luts + cost.lut_rams;
  };
  EXPECT_LE(luts(square(2, 2), 16), 490u);
  EXPECT_LE(luts(square(2, 2), 64), 510u);
  EXPECT_LE(luts(square(3, 2, 1, 1, 1), 16), 750u);
  EXPECT_LE(luts(square(3, 2, 1, 1, 1), 64), 770u);
  EXPECT_LE(luts(square(3, 1, 1, 1, 1), 64), 875u);
}

TEST(PipelineMaxPool, WhatCannotBeBuiltSaysWhy) {
  const Stream s{.height = 1, .width = 1};
  EXPECT_EQ(MaxPoolPlan({.stream = s, .window = square(2, 1, 3, 1, 1)}).why_not(),
            "no window fits the map");
  EXPECT_EQ(
      MaxPoolPlan({.stream = {.height = 2, .width = 2}, .window = square(2, 1, 3, 1, 1)}).why_not(),
      "a window sees nothing but padding");
  EXPECT_EQ(MaxPoolPlan({.stream = {.format = {17, true}}, .window = square(1, 1)}).why_not(),
            "its numbers have 17 bits; they must have 1 to 16");
  EXPECT_EQ(MaxPoolPlan({.stream = {.width = 2000}, .window = square(1, 1)}).why_not(),
            "an axis has 2000 positions; it must have at most 1024");
}

TEST(PipelineMaxPool, WrongCellsAreSeen) {
  const Stream s{.height = 4, .width = 5, .channels = 3, .lanes = 2, .format = {4, true}};
  test::MachineRig rig({machine(MaxPoolPlan{.stream = s, .window = square(3, 1, 1, 1, 1)})});
  rig.expect_mutants_seen(30, 600, 1200);
}

}  // namespace kumiki::gen::pipeline::max_pool_test
