// SPDX-License-Identifier: Apache-2.0
// Sums of channels: one pixel and many, one block and many, sums of a part of a chain and of two.
#include <gtest/gtest.h>

#include <numeric>

#include "gen/graph/interpret.h"
#include "gen/operators/global_average/machine.h"
#include "ir/resources.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"

namespace kumiki::gen::pipeline::average_test {

std::vector<AveragePlan> sweep() {
  std::vector<AveragePlan> all;
  int turn = 0;
  for (const int height : {1, 2, 3})
    for (const int width : {1, 4})
      for (const int channels : {1, 2, 3, 4, 7, 70})
        for (const int lanes : {1, 2}) {
          const int bits[] = {1, 8, 3, 16, 4};
          all.push_back({.stream = {.height = height,
                                    .width = width,
                                    .channels = channels,
                                    .lanes = lanes,
                                    .format = {bits[turn % 5], turn % 2 == 0}}});
          ++turn;
        }
  return all;
}

// GlobalAverage with a scale that gives the sum, less `pixels` zero points.
TEST(PipelineAverage, SumsAreThoseOfTheGraphAndComeInTheirInterval) {
  for (const AveragePlan& p : sweep()) {
    const auto pixels = static_cast<int>(p.stream.pixels());
    const int zero = p.stream.format.is_signed ? -1 : 1;
    const graph::Graph g{
        .name = "mean",
        .tensors = {{.name = "x",
                     .shape = test::shape_of(p.stream),
                     .format = p.stream.format,
                     .zero_point = zero,
                     .scale = static_cast<float>(pixels)},
                    {.name = "y",
                     .shape = {static_cast<int>(p.stream.channels), 1, 1},
                     .format = {24, true}}},
        .nodes = {{.name = "mean", .op = graph::GlobalAverage{}, .inputs = {0}, .output = 1}},
        .outputs = {1}};
    const graph::Interpreter judge(g);
    std::vector<test::Numbers> frames, wanted;
    for (std::uint64_t f = 0; f < 4; ++f) {
      frames.push_back(test::random_tensor(p.stream, f + 1));
      graph::Interpreter::Memory memory;
      judge.run(frames.back(), memory);
      for (std::int32_t& sum : memory[1]) sum += pixels * zero;
      wanted.push_back(memory[1]);
    }
    test::FrameRig(machine(p)).expect_frames({frames}, wanted);
  }
}

std::vector<AveragePlan> by_lines() {
  std::vector<AveragePlan> all = sweep();
  for (AveragePlan& p : all) p.by_lines = true;
  return all;
}

TEST(PipelineAverage, SumsOfLinesAreThoseOfTheirNumbers) {
  for (const AveragePlan& p : by_lines()) {
    std::vector<test::Numbers> frames, wanted;
    for (std::uint64_t f = 0; f < 3; ++f) {
      frames.push_back(test::random_tensor(p.stream, f + 1));
      const auto width = static_cast<std::ptrdiff_t>(p.stream.width);
      wanted.emplace_back();
      for (auto line = frames.back().begin(); line != frames.back().end(); line += width)
        wanted.back().push_back(std::accumulate(line, line + width, 0));
    }
    test::FrameRig(machine(p)).expect_frames({frames}, wanted);
  }
}

TEST(PipelineAverage, SmallShapesWithStallsAndResets) {
  test::MachineRig rig(test::machines_of(sweep()));
  rig.run_native(1500);
  test::MachineRig lines(test::machines_of(by_lines()));
  lines.run_native(1500);
  const auto all = sweep();
  test::MachineRig few(test::machines_of(std::vector{all[3], all[17], all[27], all[33]}));
  few.run_lanes(200);
}

TEST(PipelineAverage, AtMostThreeLevelsBetweenRegisters) {
  auto plans = sweep();
  plans.push_back({.stream = {.height = 112, .width = 112, .channels = 512, .lanes = 32}});
  for (const AveragePlan& p : plans) {
    ASSERT_EQ(p.why_not(), std::nullopt);
    test::MachineRig rig({machine(p)});
    test::expect_levels(rig.design(), 3, p.text());
  }
}

// LUTs of a machine of 16 lanes, its sums and results included.
TEST(PipelineAverage, FewLuts) {
  const auto luts = [](int channels) {
    const AveragePlan p{.stream = {.height = 7, .width = 7, .channels = channels, .lanes = 16}};
    Builder builder;
    builder.design().set_top(machine(p)->build_alone(builder, {}).id());
    const auto cost = ir::count_resources(builder.design()).total;
    return cost.luts + cost.lut_rams;
  };
  EXPECT_LE(luts(16), 410u);
  EXPECT_LE(luts(512), 580u);
  EXPECT_LE(luts(2048), 440u);
}

TEST(PipelineAverage, WhatCannotBeBuiltSaysWhy) {
  EXPECT_EQ(AveragePlan({.stream = {.format = {17, true}}}).why_not(),
            "its numbers have 17 bits; they must have 1 to 16");
  EXPECT_EQ(
      AveragePlan({.stream = {.height = 1024, .width = 1024, .format = {16, true}}}).why_not(),
      "its sums have 36 bits; they must have at most 32");
}

TEST(PipelineAverage, WrongCellsAreSeen) {
  test::MachineRig rig({machine(AveragePlan{
      .stream = {.height = 3, .width = 2, .channels = 5, .lanes = 2, .format = {15, true}}})});
  rig.expect_mutants_seen(60, 400, 800);
}

}  // namespace kumiki::gen::pipeline::average_test
