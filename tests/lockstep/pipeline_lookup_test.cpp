// SPDX-License-Identifier: Apache-2.0
// Functions of one number: every width up to nine bits, in LUTs and in block memories.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "gen/operators/lookup/machine.h"
#include "ir/resources.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"

namespace kumiki::gen::pipeline::lookup_test {

LookupPlan plan_of(const Stream& stream, const arith::Format& format, std::uint64_t seed,
                   bool by_channel = false) {
  LookupPlan plan{.stream = stream, .format = format, .values = {}};
  std::mt19937_64 random(seed);
  for (int i = 0; i < (by_channel ? stream.channels : 1) << stream.format.bits; ++i)
    plan.values.push_back(
        static_cast<std::int16_t>(arith::value_of(random() >> (64 - format.bits), format)));
  EXPECT_TRUE(legal(plan));
  return plan;
}

std::vector<LookupPlan> sweep() {
  std::vector<LookupPlan> all;
  for (int bits = 1; bits <= 9; ++bits)
    for (const bool is_signed : {false, true}) {
      const std::int64_t channels = 1 + bits % 4;
      all.push_back(plan_of({.height = 1 + bits % 2,
                             .width = 3,
                             .channels = channels,
                             .lanes = 1 + bits % 3,
                             .format = {bits, is_signed}},
                            {1 + (bits * 5 + (is_signed ? 2 : 0)) % 9, !is_signed},
                            static_cast<std::uint64_t>(bits)));
    }
  return all;
}

// Lanes of one channel and of several, which need not all have as many.
std::vector<LookupPlan> by_channel() {
  std::vector<LookupPlan> all;
  for (const int bits : {4, 8})
    for (const std::int64_t lanes : {1, 2, 5})
      all.push_back(plan_of(
          {.height = 2, .width = 3, .channels = 5, .lanes = lanes, .format = {bits, bits == 8}},
          {8, false}, static_cast<std::uint64_t>(bits * lanes), true));
  return all;
}

graph::Graph graph_of(const LookupPlan& p) {
  graph::Tensor x{.name = "x", .shape = test::shape_of(p.stream), .format = p.stream.format};
  graph::Tensor y = x;
  y.name = "y";
  y.format = p.format;
  graph::Graph g{.name = "lookup", .tensors = {x, y}, .outputs = {1}};
  g.nodes.push_back({.name = "f", .op = graph::Lookup{p.values}, .inputs = {0}, .output = 1});
  return g;
}

TEST(PipelineLookup, WhatIsLegal) {
  LookupPlan plan{.stream = {.format = {1, true}}, .format = {2, true}, .values = {1, -2}};
  EXPECT_TRUE(legal(plan));
  plan.values = {1, 2};
  EXPECT_FALSE(legal(plan));
  plan.values = {1, 1, 1};
  EXPECT_FALSE(legal(plan));
}

TEST(PipelineLookup, EveryFrameThroughEveryWidth) {
  std::size_t memories = 0;
  for (const LookupPlan& plan : sweep()) {
    test::FrameRig rig(machine(plan));
    rig.expect_frames(graph_of(plan), 12, 7);
    test::expect_levels(rig.design(), plan.levels(), plan.text());
    EXPECT_EQ(ir::count_resources(rig.design()).total.brams_18k > 0, plan.in_memory());
    memories += plan.in_memory() ? 1 : 0;
  }
  EXPECT_EQ(memories, 2u);
}

TEST(PipelineLookup, AFunctionForEachChannel) {
  for (const LookupPlan& plan : by_channel()) {
    test::FrameRig rig(machine(plan));
    rig.expect_frames(graph_of(plan), 6, 7);
    test::expect_levels(rig.design(), plan.levels(), plan.text());
    EXPECT_EQ(plan.in_memory(), plan.stream.lanes < 5);
    EXPECT_EQ(ir::count_resources(rig.design()).total.brams_18k > 0, plan.in_memory());
  }
}

// A bit of a function that nothing is known of takes four LUTs of eight inputs; one that is clamped
// on both sides takes fewer, because parts of its table are constant.
TEST(PipelineLookup, FewLuts) {
  const Stream stream{.channels = 16, .lanes = 16, .format = {8, true}};
  LookupPlan clamped{.stream = stream, .format = {8, true}, .values = {}};
  for (int q = -128; q < 128; ++q)
    clamped.values.push_back(static_cast<std::int16_t>(std::clamp(q, 0, 31)));
  LookupPlan sigmoid = clamped;
  for (int q = -128; q < 128; ++q)
    sigmoid.values[static_cast<std::size_t>(q + 128)] =
        static_cast<std::int16_t>(std::lround(255 / (1 + std::exp(-q * 0.05))) - 128);
  const auto luts = [](const LookupPlan& plan) {
    test::FrameRig rig(machine(plan));
    rig.expect_frames(graph_of(plan), 20, 9);
    return ir::count_resources(rig.design()).total.luts;
  };
  const auto drawn = luts(plan_of(stream, {8, true}, 1)), bounds = luts(clamped),
             curve = luts(sigmoid);
  EXPECT_LE(drawn, 16 * 36u + 20);
  EXPECT_LE(bounds, 16 * 14u + 20);
  EXPECT_LE(curve, drawn);
}

TEST(PipelineLookup, LockstepWithStallsAndResets) {
  auto all = test::machines_of(sweep());
  for (const LookupPlan& plan : by_channel()) all.push_back(machine(plan));
  test::MachineRig rig(all);
  rig.run_native(1500);
  rig.run_lanes(100);
}

TEST(PipelineLookup, WrongCellsAreSeen) {
  for (const int bits : {3, 9})
    test::MachineRig(
        {machine(plan_of({.channels = 2, .lanes = 2, .format = {bits, true}}, {3, true}, 3))})
        .expect_mutants_seen(30);
}

}  // namespace kumiki::gen::pipeline::lookup_test
