// SPDX-License-Identifier: Apache-2.0
// Numbers of a map several times, in another order, or not at all: factors, small maps, lanes that
// do not divide the channels, memories of both kinds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "gen/graph/interpret.h"
#include "gen/operators/resize/machine.h"
#include "tests/support/cache.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"

namespace kumiki::gen::pipeline::reorder_test {

struct Resized {
  Stream stream;
  std::array<int, 2> factor{2, 2};
  ReorderPlan plan() const { return repeated(stream, factor); }
};

std::shared_ptr<const Machine> machine(const Resized& p) { return machine(p.plan()); }

std::vector<Resized> sweep() {
  std::vector<Resized> all;
  int turn = 0;
  for (const int rows : {1, 2, 3})
    for (const int columns : {1, 2, 3, 4})
      for (const int height : {1, 2, 5})
        for (const int width : {1, 2, 3}) {
          const int channels[] = {1, 3, 4, 5, 2}, lanes[] = {1, 2, 4, 2, 1, 3},
                    bits[] = {8, 1, 4, 16};
          const Resized p{.stream = {.height = height,
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
std::vector<Resized> with_memories() {
  return {{.stream = {.height = 3, .width = 40, .channels = 6, .lanes = 3, .format = {8, true}},
           .factor = {2, 2}},
          {.stream = {.height = 2, .width = 5, .channels = 70, .lanes = 1, .format = {3, false}},
           .factor = {1, 3}},
          {.stream = {.height = 4, .width = 1, .channels = 1, .lanes = 1, .format = {8, false}},
           .factor = {2, 1}},
          {.stream = {.height = 4, .width = 33, .channels = 1, .lanes = 1, .format = {8, false}},
           .factor = {4, 1}}};
}

void expect_right_frames(const Resized& p) {
  const graph::Graph g{
      .name = "resize",
      .tensors = {{.name = "x", .shape = test::shape_of(p.stream), .format = p.stream.format},
                  {.name = "y",
                   .shape = test::shape_of(p.plan().output()),
                   .format = p.stream.format}},
      .nodes = {{.name = "resize", .op = graph::Resize{p.factor}, .inputs = {0}, .output = 1}},
      .outputs = {1}};
  test::FrameRig(machine(p)).expect_frames(g, 4, 1);
}

TEST(PipelineReorder, TheDefinitionRepeatsEveryNumber) {
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

TEST(PipelineReorder, FramesAreThoseOfTheGraphAndComeInTheirInterval) {
  auto all = sweep();
  for (const Resized& p : with_memories()) all.push_back(p);
  for (const Resized& p : all) {
    SCOPED_TRACE(p.plan().text());
    ASSERT_EQ(p.plan().why_not(), std::nullopt);
    ASSERT_NO_THROW(expect_right_frames(p));
    if (HasFailure()) break;
  }
}

TEST(PipelineReorder, SmallShapesWithStallsAndResets) {
  auto machines = test::machines_of(with_memories());
  test::MachineRig memories(machines);
  memories.run_native(3000);
  memories.run_lanes(100);
  const auto all = sweep();
  for (std::size_t i = 0; i < all.size(); i += 4) machines.push_back(machine(all[i]));
  test::MachineRig rig(machines);
  rig.run_native(1500);
}

TEST(PipelineReorder, OnVerilator) {
  test::MachineRig(test::machines_of(with_memories())).run_verilated(2000, test::shared_cache);
}

TEST(PipelineReorder, AtMostThreeLevelsBetweenRegisters) {
  auto plans = with_memories();
  for (const int lanes : {1, 20})
    plans.push_back(
        {.stream =
             {.height = 320, .width = 320, .channels = 128, .lanes = lanes, .format = {8, true}},
         .factor = {2, 2}});
  for (const Resized& p : plans) {
    test::MachineRig rig({machine(p)});
    test::expect_levels(rig.design(), 3, p.plan().text());
  }
}

// A result of this size, and which number of the map each of its numbers is.
struct Order {
  std::array<int, 3> from, to;
  std::function<std::int32_t(int channel, int row, int column)> source;

  Sources sources() const {
    Sources all;
    for (int c = 0; c < to[0]; ++c)
      for (int r = 0; r < to[1]; ++r)
        for (int k = 0; k < to[2]; ++k) all.push_back(source(c, r, k));
    return all;
  }
  std::optional<ReorderPlan> plan(std::int64_t lanes) const {
    const auto stream = [&](const std::array<int, 3>& shape) {
      return Stream{.height = shape[1],
                    .width = shape[2],
                    .channels = shape[0],
                    .lanes = lanes,
                    .format = {5, true}};
    };
    return reordered(stream(from), stream(to), sources());
  }
  std::int32_t at(int channel, int row, int column) const {
    return (channel * from[1] + row) * from[2] + column;
  }
};

Order turned() {
  Order o{{3, 4, 5}, {5, 3, 4}, {}};
  o.source = [o](int c, int r, int k) { return o.at(r, k, c); };
  return o;
}
Order second_half() {
  Order o{{8, 3, 4}, {4, 3, 4}, {}};
  o.source = [o](int c, int r, int k) { return o.at(4 + c, r, k); };
  return o;
}
Order shuffled() {
  Order o{{6, 2, 3}, {6, 2, 3}, {}};
  o.source = [o](int c, int r, int k) { return o.at(c % 2 * 3 + c / 2, r, k); };
  return o;
}
// Channels become blocks of 2 x 2 numbers.
Order in_blocks() {
  Order o{{8, 3, 5}, {2, 6, 10}, {}};
  o.source = [o](int c, int r, int k) { return o.at((r % 2 * 2 + k % 2) * 2 + c, r / 2, k / 2); };
  return o;
}
Order cut() {
  Order o{{4, 6, 5}, {4, 3, 4}, {}};
  o.source = [o](int c, int r, int k) { return o.at(c, 1 + 2 * r, 4 - k); };
  return o;
}

// Lanes that stay together, pieces, and clocks of a frame.
TEST(PipelineReorder, PiecesAreAsSmallAsTheOrderAllows) {
  const auto of = [](const Order& o, std::int64_t lanes) {
    const auto plan = o.plan(lanes);
    return plan ? std::pair(plan->pieces, plan->schedule().interval()) : std::pair(0L, 0L);
  };
  EXPECT_EQ(of(turned(), 1), std::pair(1L, 60L));
  EXPECT_EQ(of(turned(), 2), std::pair(0L, 0L));
  EXPECT_EQ(of(second_half(), 1), std::pair(12L, 96L));
  EXPECT_EQ(of(second_half(), 4), std::pair(12L, 24L));
  EXPECT_EQ(of(second_half(), 8), std::pair(0L, 0L));
  EXPECT_EQ(of(shuffled(), 1), std::pair(6L, 36L));
  EXPECT_EQ(of(in_blocks(), 2), std::pair(3L, 60L));
  EXPECT_EQ(of(cut(), 4), std::pair(3L, 30L));
}

TEST(PipelineReorder, FramesComeInTheOrder) {
  const std::pair<Order, std::int64_t> cases[] = {
      {turned(), 1},    {second_half(), 1}, {second_half(), 4}, {shuffled(), 1},
      {in_blocks(), 1}, {in_blocks(), 2},   {cut(), 4},         {cut(), 2}};
  for (const auto& [order, lanes] : cases) {
    const auto plan = order.plan(lanes);
    ASSERT_TRUE(plan);
    SCOPED_TRACE(plan->text());
    ASSERT_EQ(plan->why_not(), std::nullopt);
    std::vector<test::Numbers> frames, wanted;
    for (std::uint64_t f = 0; f < 4; ++f) {
      frames.push_back(test::random_tensor(plan->stream, f + 1));
      wanted.emplace_back();
      for (const std::int32_t source : order.sources())
        wanted.back().push_back(frames.back()[static_cast<std::size_t>(source)]);
    }
    test::FrameRig(machine(*plan)).expect_frames({frames}, wanted);
  }
}

// One piece alone in the memory; two that follow each other closely in a block memory.
std::vector<ReorderPlan> with_other_rooms() {
  std::vector<ReorderPlan> all;
  for (auto plan : {*turned().plan(1), *second_half().plan(1), *in_blocks().plan(2), *cut().plan(2),
                    repeated({.width = 90, .lanes = 1, .format = {8, true}}, 3)}) {
    plan.held = 1;
    all.push_back(plan);
  }
  const Stream wide{.height = 2, .width = 260, .channels = 4, .lanes = 4, .format = {8, false}};
  all.push_back(repeated(wide, 2));
  // Two pairs of pixels, 80 channels in tiles of four.
  const Stream pairs{.height = 1, .width = 2, .channels = 160, .lanes = 2, .format = {24, true}};
  all.push_back(from_pairs(pairs, {1, 4, 80, 2, pairs.format}, 4));
  return all;
}

TEST(PipelineReorder, OtherRoomsGiveTheSameFrames) {
  for (const ReorderPlan& plan : with_other_rooms()) {
    SCOPED_TRACE(plan.text());
    ASSERT_EQ(plan.why_not(), std::nullopt);
    std::vector<test::Numbers> frames, wanted;
    for (std::uint64_t f = 0; f < 4; ++f) {
      frames.push_back(test::random_tensor(plan.stream, f + 1));
      const auto beats = beats_of(plan.stream, frames.back());
      std::vector<std::vector<std::uint64_t>> made;
      for (std::int64_t k = 0; k < plan.made.beats(); ++k)
        made.push_back(beats[static_cast<std::size_t>(
            k / std::ssize(plan.reads) * plan.beats() +
            plan.reads[static_cast<std::size_t>(k % std::ssize(plan.reads))])]);
      wanted.push_back(numbers_of(plan.made, made));
    }
    test::FrameRig(machine(plan)).expect_frames({frames}, wanted);
  }
}

// Of two pixels come the channels 0 and 1 of the first, of the second, then 2 and 3 of either.
TEST(PipelineReorder, PairsLeavePixelByPixel) {
  const auto reads = [](std::int64_t lanes) {
    const Stream pairs{.height = 3, .width = 2, .channels = 8, .lanes = lanes};
    const ReorderPlan plan = from_pairs(pairs, {3, 4, 4, lanes, pairs.format}, 2);
    EXPECT_EQ(plan.pieces, 6);
    EXPECT_EQ(plan.beats(), 8 / lanes);
    return plan.reads;
  };
  EXPECT_EQ(reads(1), (std::vector<std::int32_t>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(reads(2), (std::vector<std::int32_t>{0, 2, 1, 3}));
}

TEST(PipelineReorder, OtherRoomsWithStallsAndResets) {
  test::MachineRig rig(test::machines_of(with_other_rooms()));
  test::expect_levels(rig.design(), 3);
  rig.run_native(6000);
  rig.run_lanes(300);
  rig.expect_mutants_seen(60, 1500);
}

TEST(PipelineReorder, OrdersWithStallsAndResets) {
  test::MachineRig rig({machine(*turned().plan(1)), machine(*second_half().plan(4)),
                        machine(*shuffled().plan(1)), machine(*in_blocks().plan(2)),
                        machine(*cut().plan(4))});
  rig.run_native(2000);
}

// Only lanes that take fewer clocks than fewer lanes.
TEST(PipelineReorder, MoreLanesTakeFewerClocks) {
  const auto lanes = [](const Order& o) {
    const auto tensor = [](const std::array<int, 3>& shape) {
      return graph::Tensor{.name = "t", .shape = {shape[0], shape[1], shape[2]}};
    };
    std::vector<std::int64_t> all;
    for (const ReorderPlan& p : reordered(tensor(o.from), tensor(o.to), o.sources()))
      all.push_back(p.stream.lanes);
    return all;
  };
  using Lanes = std::vector<std::int64_t>;
  EXPECT_EQ(lanes(second_half()), (Lanes{1, 2, 4}));
  EXPECT_EQ(lanes(turned()), (Lanes{1}));
  EXPECT_EQ(lanes(in_blocks()), (Lanes{1, 2}));
}

TEST(PipelineReorder, CountersFollowTheAddresses) {
  const auto counters = [](std::vector<std::int32_t> addresses) {
    std::string text;
    const auto nest = Nest::of(std::move(addresses));
    if (!nest) return std::string("none");
    for (const Nest::Counter& c : nest->counters)
      text += fmt::format("{} by {}, ", c.count, c.step);
    return text;
  };
  EXPECT_EQ(counters({7}), "");
  EXPECT_EQ(counters({1, 2, 3, 4}), "4 by 1, ");
  EXPECT_EQ(counters({0, 0, 1, 1, 0, 0, 1, 1}), "2 by 0, 2 by 1, 2 by 0, ");
  EXPECT_EQ(counters({5, 3, 1, 6, 4, 2}), "3 by -2, 2 by 1, ");
  EXPECT_EQ(counters({0, 1, 3, 2}), "none");
  EXPECT_EQ(counters({0, 1, 3}), "none");
}

TEST(PipelineReorder, WhatCannotBeBuiltSaysWhy) {
  EXPECT_EQ(repeated({.format = {33, true}}, {2, 2}).why_not(),
            "numbers of 33 bits: they must have 1 to 32");
  EXPECT_EQ(repeated({.width = 70'000}, {2, 2}).why_not(),
            "70000 beats wait for each other: it must be at most 65536");
  ReorderPlan odd = *shuffled().plan(1);
  odd.reads = {0, 2, 1, 5, 3, 4};
  EXPECT_EQ(odd.why_not(), "its numbers leave in an order that 5 counters cannot follow");
}

TEST(PipelineReorder, WrongCellsAreSeen) {
  const Stream s{.height = 3, .width = 3, .channels = 3, .lanes = 2, .format = {4, true}};
  test::MachineRig rig(
      {machine(Resized{.stream = s, .factor = {2, 2}}), machine(*in_blocks().plan(2))});
  rig.expect_mutants_seen(30, 600, 1200);
}

}  // namespace kumiki::gen::pipeline::reorder_test
