// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions: kernels, strides, dilations and padding on small maps, one slice a lane
// and many, rings of every kind, weights in nets, LUTs and memories.
#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/operators/conv/depthwise.h"
#include "gen/operators/conv/sliding.h"
#include "ir/resources.h"
#include "tests/support/cache.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::depthwise_test {

using graph::Window;

std::vector<std::int16_t> weights(std::int64_t count, int bits) {
  backends::lockstep::Random random(11);
  const int highest = (1 << (bits - 1)) - 1;
  std::vector<std::int16_t> all(static_cast<std::size_t>(count));
  for (auto& w : all)
    w = static_cast<std::int16_t>(
        random.one_in(8)
            ? -highest - 1
            : static_cast<int>(random.below(static_cast<std::uint32_t>(2 * highest + 1))) -
                  highest);
  return all;
}

DepthwiseKernels kernels(const Stream& stream, const Window& window, int weight_bits = 8) {
  DepthwiseKernels k{.stream = stream,
                     .zero_point = stream.format.is_signed ? -1 : 1,
                     .window = window,
                     .weights = {}};
  k.weights = weights(stream.channels * k.positions(), weight_bits);
  return k;
}

DepthwisePlan planned(const Stream& stream, const Window& window, std::int64_t parallel,
                      int weight_bits = 8) {
  return {kernels(stream, window, weight_bits), parallel};
}

DepthwisePlan with_ring(const DepthwisePlan& plan) { return with_rings(plan).front(); }

SlidingPlan sliding(const Stream& stream, const Window& window, int weight_bits = 8) {
  return {kernels(stream, window, weight_bits)};
}

struct Case {
  template <class Plan>
  Case(const Plan& plan) : kernels(plan), machine(pipeline::machine(plan)) {}
  DepthwiseKernels kernels;
  std::shared_ptr<const Machine> machine;
};

std::vector<Case> sweep() {
  std::vector<Case> all;
  int turn = 0;
  for (const std::array<int, 2> kernel :
       {std::array{1, 1}, {2, 2}, {3, 3}, {1, 3}, {3, 1}, {3, 2}, {5, 5}})
    for (const int stride : {1, 2, 3})
      for (const int dilation : {1, 2})
        for (const int padding : {0, 1})
          for (const int parallel : {0, 1, 2, 3}) {
            const int channels[] = {1, 3, 4, 5, 2}, lanes[] = {1, 2, 4, 2, 1, 3};
            const int bits[] = {8, 1, 4, 2, 3, 14, 5};
            const Stream s{.height = 2 + turn % 6,
                           .width = 2 + turn % 5,
                           .channels = channels[turn % 5],
                           .lanes = lanes[turn % 6],
                           .format = {bits[turn % 7], turn % 2 == 0}};
            const Window w{.kernel = kernel,
                           .stride = {stride, 1 + (stride + turn) % 3},
                           .dilation = {dilation, 1 + turn % 7 / 6},
                           .before = {padding, padding},
                           .after = {padding, turn % 2}};
            ++turn;
            if (parallel == 3) {
              if (const SlidingPlan p = sliding(s, w, 2 + turn % 8); !p.why_not()) all.push_back(p);
              continue;
            }
            const int slices[] = {1, kernel[0], kernel[1]};
            DepthwisePlan p = planned(s, w, slices[parallel], 2 + turn % 8);
            if (turn % 3 == 0 && !p.why_not()) p = with_ring(p);
            if (!p.why_not()) all.push_back(p);
          }
  return all;
}

// A scale of 1 and 24 bits leave the sums as they are; what the judge takes off comes back.
test::Numbers judged(const DepthwiseKernels& p, const test::Numbers& image) {
  const auto channels = static_cast<std::size_t>(p.stream.channels);
  const auto of_channel = static_cast<std::size_t>(p.positions());
  graph::Conv conv{.window = p.window,
                   .groups = static_cast<int>(channels),
                   .weights = p.weights,
                   .bias = std::vector<std::int32_t>(channels, 0),
                   .scales = {1}};
  for (std::size_t i = 0; i < p.weights.size(); ++i)
    conv.bias[i / of_channel] += static_cast<std::int32_t>(p.zero_point) * p.weights[i];
  const graph::Graph g{
      .name = "depthwise",
      .tensors = {{.name = "x",
                   .shape = test::shape_of(p.stream),
                   .format = p.stream.format,
                   .zero_point = static_cast<int>(p.zero_point)},
                  {.name = "y", .shape = test::shape_of(p.output()), .format = {24, true}}},
      .nodes = {{.name = "conv", .op = conv, .inputs = {0}, .output = 1}},
      .outputs = {1}};
  graph::Interpreter::Memory memory;
  graph::Interpreter(g).run(image, memory);
  return memory[1];
}

void expect_right_frames(const Case& c, ir::Family family = ir::Family::ultrascale_plus) {
  std::vector<test::Numbers> frames, wanted;
  for (std::uint64_t f = 0; f < 7; ++f) {
    frames.push_back(test::random_tensor(c.kernels.stream, f + 1));
    wanted.push_back(judged(c.kernels, frames.back()));
  }
  test::FrameRig(c.machine, family).expect_frames({frames}, wanted);
}

// A slice behind the chain accumulates, since no slice there adds P to what comes from below.
TEST(PipelineDepthwise, ASliceThatAccumulatesApartOnThe7Series) {
  int apart = 0, turn = 0;
  for (const int kernel : {2, 3, 5})
    for (const int parallel : {1, kernel})
      for (const int lanes : {1, 2, 9}) {
        const Stream s{.height = 5 + turn % 2,
                       .width = 6,
                       .channels = lanes + turn % 3,
                       .lanes = lanes,
                       .format = {turn % 2 == 0 ? 8 : 4, turn % 3 == 0}};
        const Window w{.kernel = {kernel, kernel}, .stride = {1 + turn % 2, 1}, .before = {1, 1}};
        ++turn;
        DepthwisePlan p = planned(s, w, parallel);
        p.adds_apart = parallel > 1;
        if (p.why_not()) continue;
        p = with_ring(p);
        apart += p.adds_apart ? 1 : 0;
        EXPECT_EQ(p.slices(), lanes * (parallel + (p.adds_apart ? 1 : 0)));
        expect_right_frames(p, ir::Family::series7);
        if (HasFatalFailure()) FAIL() << p.text();
      }
  EXPECT_GE(apart, 6);
}

TEST(PipelineDepthwise, SumsAreThoseOfTheGraphAndComeInTheirInterval) {
  const auto all = sweep();
  ASSERT_GT(all.size(), 150u);
  for (const Case& c : test::this_time(all, 15)) {
    SCOPED_TRACE(c.machine->text());
    ASSERT_NO_THROW(expect_right_frames(c));
    if (HasFailure()) break;
  }
}

Window square(int kernel, int stride, int padding) {
  return {.kernel = {kernel, kernel},
          .stride = {stride, stride},
          .before = {padding, padding},
          .after = {padding, padding}};
}

// Rings and lines in block memories, weights in LUTs and in block memories.
std::vector<Case> with_memories() {
  const Stream s{.height = 5, .width = 6, .channels = 11, .lanes = 1, .format = {8, true}};
  const Stream w{.height = 3, .width = 9, .channels = 6, .lanes = 6, .format = {4, false}};
  const Stream many{.height = 4, .width = 3, .channels = 130, .lanes = 2, .format = {8, true}};
  const Stream deep{.height = 5, .width = 6, .channels = 130, .lanes = 2, .format = {8, true}};
  return {with_ring(planned(s, square(3, 1, 1), 1)),
          with_rings(planned(deep, square(3, 2, 1), 1)).back(),
          with_ring(planned(w, square(3, 1, 1), 1)),
          with_ring(planned(s, square(3, 2, 1), 3)),
          sliding(s, square(3, 1, 1)),
          sliding(many, square(2, 1, 1)),
          sliding(many, {.kernel = {3, 1}, .before = {1, 0}, .after = {1, 0}})};
}

TEST(PipelineDepthwise, FramesThroughMemories) {
  for (const Case& c : test::this_time(with_memories(), 2)) {
    SCOPED_TRACE(c.machine->text());
    expect_right_frames(c);
  }
}

TEST(PipelineDepthwise, ARingHasUpTo65536Words) {
  DepthwisePlan p =
      planned({.height = 5, .width = 6, .channels = 11, .lanes = 1}, square(3, 1, 1), 1);
  p.ring = 1 << 16;
  EXPECT_EQ(p.why_not(), std::nullopt);
  p.ring *= 2;
  EXPECT_EQ(p.why_not(), "the memory has 131072 words; it must have at most 65536");
}

// A ring of the least words takes up to one in a hundred more clocks where frames meet.
TEST(PipelineDepthwise, ChainsComputeInEveryClock) {
  const Stream s{.height = 14, .width = 14, .channels = 8, .lanes = 4};
  const auto interval = [&](std::int64_t parallel, bool is_large) {
    DepthwisePlan p = with_ring(planned(s, square(3, 1, 1), parallel));
    if (is_large) p.ring *= 4;
    return p.schedule().interval();
  };
  EXPECT_EQ(interval(1, true), 9 * s.beats());
  EXPECT_EQ(interval(3, true), 3 * s.beats());
  // The border takes a clock a position.
  EXPECT_EQ(sliding(s, square(3, 1, 1)).schedule().interval(), 16 * 16 * 2);
  EXPECT_EQ(interval(1, false), 3551);
  EXPECT_LE(interval(3, false), 3 * s.beats() * 101 / 100);
}

TEST(PipelineDepthwise, SmallerRingsTakeMoreClocksAndFewerMemories) {
  const Stream s{.height = 14, .width = 14, .channels = 512, .lanes = 3, .format = {4, false}};
  const auto all = with_rings(planned(s, square(3, 1, 1), 1, 4));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].words(), 16384);
  EXPECT_EQ(all[1].words(), all[1].least_ring());
  // 16 K words of 12 bits, or 8 K; 1,539 weights of 12 bits.
  EXPECT_EQ(all[0].brams_18k(), 11 + 2);
  EXPECT_EQ(all[1].brams_18k(), 6 + 2);
  EXPECT_GT(100 * all[1].schedule().interval(), 101 * all[0].schedule().interval());
  // Equal memories: the larger ring alone.
  const Stream few{.height = 14, .width = 14, .channels = 8, .lanes = 4};
  EXPECT_EQ(with_rings(planned(few, square(3, 1, 1), 1)).size(), 1u);
}

// 15 and 12 clocks in turn.
TEST(PipelineDepthwise, FramesThatAlternateCountWithTheirMean) {
  const Ring ring{.around = {.lines = {true, true, true}, .columns = {true, true, true}},
                  .steps = 3,
                  .out_lines = 3,
                  .needed = 3,
                  .next_column = 3,
                  .next_line = 3,
                  .next_frame = 3,
                  .room = 3};
  EXPECT_EQ(ring.interval(), 14);
}

test::Machines machines_of(const std::vector<Case>& cases) {
  test::Machines all;
  for (const Case& c : cases) all.push_back(c.machine);
  return all;
}

TEST(PipelineDepthwise, SmallShapesWithStallsAndResets) {
  std::vector<Case> few = with_memories();
  const auto all = sweep();
  for (std::size_t i = 0; i < all.size(); i += 20) few.push_back(all[i]);
  test::MachineRig rig(machines_of(few));
  rig.run_native(1500);
  test::MachineRig memories(machines_of(with_memories()));
  memories.run_lanes(100);
}

TEST(PipelineDepthwise, AtMostThreeLevelsBetweenRegisters) {
  auto plans = with_memories();
  const auto all = sweep();
  for (std::size_t i = 0; i < all.size(); i += 5) plans.push_back(all[i]);
  const Stream s{.height = 112, .width = 112, .channels = 64, .lanes = 20};
  plans.push_back(planned(s, square(3, 1, 1), 1));
  plans.push_back(planned(s, square(5, 2, 2), 5));
  plans.push_back(sliding(s, square(3, 1, 1)));
  for (const Case& c : plans) {
    test::MachineRig rig({c.machine});
    test::expect_levels(rig.design(), 3, c.machine->text());
  }
}

// Of a machine of 16 lanes and 8 bits, its results and control included.
TEST(PipelineDepthwise, FewLutsAndMemories) {
  const auto cost = [](const std::shared_ptr<const Machine>& machine) {
    Builder builder;
    builder.design().set_top(machine->build_alone(builder, {}).id());
    return ir::count_resources(builder.design()).total;
  };
  const auto of = [](int channels) {
    return Stream{.height = 28, .width = 28, .channels = channels, .lanes = 16};
  };
  const auto luts = [&](int channels, std::int64_t parallel) {
    const DepthwisePlan p = with_ring(planned(of(channels), square(3, 1, 1), parallel));
    const auto found = cost(machine(p));
    EXPECT_EQ(found.dsps, 16 * parallel);
    EXPECT_EQ(found.brams_18k, p.brams_18k());
    return found.luts + found.lut_rams;
  };
  EXPECT_LE(luts(16, 1), 370u);
  EXPECT_LE(luts(64, 1), 450u);
  EXPECT_LE(luts(256, 1), 335u);
  EXPECT_LE(luts(256, 3), 730u);
  // Two lines of 30 positions in four blocks, 128 bits wide.
  const SlidingPlan at_once = sliding(of(64), square(3, 1, 1));
  const auto found = cost(machine(at_once));
  EXPECT_EQ(found.dsps, 16u * 9);
  EXPECT_EQ(at_once.brams_18k(), 2 * 4);
  EXPECT_EQ(found.brams_18k, 8u);
  EXPECT_LE(found.luts + found.lut_rams, 3000u);
  // The weights of nine slices of a lane are in three memories.
  const SlidingPlan many =
      sliding({.height = 4, .width = 4, .channels = 200, .lanes = 2}, square(3, 1, 1));
  EXPECT_EQ(many.brams_18k(), 2 * 3 + 2);
  EXPECT_EQ(cost(machine(many)).brams_18k, 8u);
}

TEST(PipelineDepthwise, OnVerilator) {
  test::MachineRig rig(machines_of(test::this_time(with_memories(), 4)));
  rig.run_verilated(2000, test::shared_cache);
}

TEST(PipelineDepthwise, WhatCannotBeBuiltSaysWhy) {
  const Stream s{.height = 4, .width = 4, .channels = 2};
  const auto why = [](const DepthwisePlan& p) { return p.why_not().value_or(""); };
  DepthwisePlan two = planned(s, square(3, 1, 1), 1);
  two.weights.resize(36);
  EXPECT_EQ(why(two), "it has 36 weights; it must have 18, for one output of each channel");
  EXPECT_EQ(why(planned(s, square(3, 1, 1), 2)), "a lane has 2 slices; it must have 1, 3 or 3");
  EXPECT_EQ(why(planned(s, square(3, 1, 1), 9)), "a lane has 9 slices; it must have 1, 3 or 3");
  EXPECT_EQ(why(planned(s, square(5, 1, 0), 1)), "no window fits the map");
  EXPECT_EQ(sliding(s, square(8, 1, 4)).why_not().value_or(""),
            "a lane has 64 slices; it must have at most 50");
  DepthwisePlan small = planned(s, square(3, 1, 1), 1);
  small.ring = 16;
  EXPECT_EQ(why(small), "the memory has 16 words; it must have at least 64, and a power of two");
}

TEST(PipelineDepthwise, WrongCellsAreSeen) {
  const Stream s{.height = 3, .width = 4, .channels = 3, .lanes = 2, .format = {4, true}};
  test::MachineRig rig(
      machines_of({planned(s, square(3, 1, 1), 3, 4), sliding(s, square(3, 1, 1), 4)}));
  rig.expect_mutants_seen(60, 400, 800);
}

}  // namespace kumiki::gen::pipeline::depthwise_test
