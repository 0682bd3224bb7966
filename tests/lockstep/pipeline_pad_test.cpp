// SPDX-License-Identifier: Apache-2.0
// A constant around maps and between their numbers: every axis, lanes that do not divide the
// channels, and picks that also move numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/text.h"
#include "gen/layers/pipeline/machines/pad.h"
#include "tests/support/cache.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/pipeline_runs.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::pipeline::pad_test {

// An axis as text: x is a place of the map, and . the constant.
std::vector<bool> axis(const std::string& text) {
  std::vector<bool> all;
  for (const char c : text) all.push_back(c == 'x');
  return all;
}

PadPlan pad(const std::string& channels, const std::string& lines, const std::string& columns,
            std::int64_t lanes, std::int64_t fill = -3, arith::Format format = {5, true}) {
  const auto inside = [](const std::string& text) { return std::ranges::count(text, 'x'); };
  return {{.height = inside(lines),
           .width = inside(columns),
           .channels = inside(channels),
           .lanes = lanes,
           .format = format},
          {axis(channels), axis(lines), axis(columns), fill}};
}

std::vector<PadPlan> sweep() {
  std::vector<PadPlan> all;
  const std::string lines[] = {"x", "xx", ".x", "x.", "..x.", ".x.x.", "xx..x"};
  const std::string columns[] = {"x", "xxx", ".x", "xx.", "..xx", "x.x.x", "x..", ".xxx.."};
  const std::tuple<std::string, std::vector<int>> channels[] = {
      {"x", {1}}, {"xxx", {1, 2, 3}}, {"xx..", {1, 2}}, {"..xxx", {1, 2}}, {".x", {1}}};
  int turn = 0;
  for (const auto& line : lines)
    for (const auto& column : columns)
      for (const auto& [channel, lanes] : channels) {
        const PadPlan p =
            pad(channel, line, column, lanes[static_cast<std::size_t>(turn) % lanes.size()],
                turn % 3 - 1, {std::array{8, 2, 16}[static_cast<std::size_t>(turn) % 3], true});
        ++turn;
        if (p.border.is_there()) all.push_back(p);
      }
  return all;
}

std::vector<PadPlan> some() {
  return {pad("xxxxx", "..xxx.", "xxxx.", 2), pad("xx..", ".x", "x.x.x", 2),
          pad("..xxx", "xx", "xxx", 2), pad("x", "x", std::string(70, 'x') + "..", 1)};
}

TEST(PipelinePad, FramesAreThoseOfTheGraphAndComeInTheirInterval) {
  for (const PadPlan& p : sweep()) {
    SCOPED_TRACE(p.text());
    ASSERT_EQ(p.why_not(), std::nullopt);
    const auto tensor = [&](const char* name, const Stream& s) {
      return graph::Tensor{.name = name, .shape = test::shape_of(s), .format = s.format};
    };
    graph::Pick pick{.fill = static_cast<int>(p.border.fill)};
    int number = 0;
    for (const auto* flags : {&p.border.channels, &p.border.lines, &p.border.columns}) {
      std::vector<std::int64_t> places;
      for (std::int64_t next = 0; const bool inside : *flags)
        places.push_back(inside ? next++ : -1);
      pick.add_runs(number++, places);
    }
    const graph::Graph g{.name = "pad",
                         .tensors = {tensor("x", p.stream), tensor("y", p.output())},
                         .nodes = {{.name = "pad", .op = pick, .inputs = {0}, .output = 1}},
                         .outputs = {1}};
    graph::require_legal(g);
    ASSERT_NO_THROW(test::FrameRig(machine(p)).expect_frames(g, 4, 1));
    if (HasFailure()) break;
  }
}

TEST(PipelinePad, SmallShapesWithStallsAndResets) {
  test::MachineRig(test::machines_of(some())).run_lanes(100);
  auto plans = some();
  const auto all = sweep();
  for (std::size_t i = 0; i < all.size(); i += 7) plans.push_back(all[i]);
  test::MachineRig rig(test::machines_of(plans));
  rig.run_native(1500);
}

TEST(PipelinePad, OnVerilator) {
  test::MachineRig(test::machines_of(some())).run_verilated(2000, test::shared_cache);
}

TEST(PipelinePad, AtMostThreeLevelsBetweenRegisters) {
  auto plans = some();
  const std::string wide = std::string(500, 'x');
  plans.push_back(pad(std::string(64, 'x'), ".." + wide + ".", ".x." + wide, 4));
  plans.push_back(pad(std::string(32, 'x') + std::string(32, '.'), wide, std::string(32, 'x'), 2));
  for (const PadPlan& p : plans) {
    ASSERT_EQ(p.why_not(), std::nullopt) << p.text();
    test::MachineRig rig({machine(p)});
    test::expect_levels(rig.design(), 3, p.text());
  }
}

TEST(PipelinePad, LanesAreThoseOfTheStreamUnlessTheyAreTooFewOrDoNotFit) {
  const auto lanes = [](const std::string& channels, std::int64_t own, std::int64_t clocks) {
    const PadPlan p = pad(channels, "xxx.", "xxx.", own);
    return padded(p.stream, p.border, clocks).stream.lanes;
  };
  EXPECT_EQ(lanes("xxxx", 3, 32), 3);
  EXPECT_EQ(lanes("xxxx", 1, 32), 2);
  EXPECT_EQ(lanes("xxxx", 1, 1), 4);
  // Blocks of three would have both.
  EXPECT_EQ(lanes("xxxx..", 3, 48), 2);
  EXPECT_EQ(lanes("xxx...", 1, 32), 3);
}

TEST(PipelinePad, WhatCannotBeBuiltSaysWhy) {
  EXPECT_EQ(pad("x", "x.", "x", 1, 0, {17, true}).why_not(),
            "numbers of 17 bits: they must have 1 to 16");
  EXPECT_EQ(pad("x", "x.", "x", 1, 16).why_not(), "its constant 16 is not a number of S5");
  EXPECT_EQ(pad("x..", "x", "x", 2).why_not(), "2 lanes have both channels and the constant");
  EXPECT_EQ(pad("x", std::string(1024, 'x') + ".", "x", 1).why_not(),
            "an axis has 1025 positions; it must have at most 1024");
}

TEST(PipelinePad, WrongCellsAreSeen) {
  test::MachineRig rig(
      {machine(pad("xxx", ".xx.", "xx..", 2)), machine(pad("xx..", "xx", "x.x", 2))});
  rig.expect_mutants_seen(30, 600, 1200);
}

graph::Graph picked(const std::string& shape, const std::string& words) {
  return graph::parse_graph(
      "g", "graph g\ntensor x s8 4x5x6 scale 0x1p+0 zero 3\ntensor y s8 " + shape +
               " scale 0x1p+0 zero 3\ninput x\noutput y\npick p x -> y " + words + "\n");
}

// Picks of a graph: some of the numbers with a constant around them, in any order.
TEST(PipelinePad, PicksThatMoveNumbersAndPutOthersAroundThem) {
  const std::pair<graph::Graph, std::vector<std::string>> cases[] = {
      {picked("4x7x8", "fill 3\n  runs 1 -1 0 2 1 0 1 5 2 0 1 6 2 -1 0 2"), {"pad"}},
      {picked("8x5x6", "fill -7\n  runs 0 -1 0 4 0 0 1 4"), {"pad"}},
      {picked("4x4x3", "fill 5\n  runs 1 -1 0 1 1 0 2 3 2 5 -2 3"), {"reorder", "pad"}},
      {picked("3x5x7", "fill 0\n  runs 0 2 1 2 0 -1 0 1 2 -1 0 1 2 0 1 6"), {"reorder", "pad"}},
      {picked("4x5x6", "fill 9\n  runs 1 4 -1 5"), {"reorder"}}};
  for (const auto& [g, wanted] : cases) {
    SCOPED_TRACE(graph::to_text(g));
    for (const std::uint64_t seed : {1, 2}) {
      const auto stream = std::make_shared<const graph::Graph>(streamed(g));
      const Foldings foldings(stream, {});
      PipelinePlan plan = with_queues(lowered(foldings, seed == 1 ? 1000 : 70));
      plan.graph = std::make_shared<const graph::Graph>(g);
      std::vector<std::string> kinds;
      for (const Box& b : plan.boxes)
        if (b.machine->kind() == "reorder" || b.machine->kind() == "pad")
          kinds.push_back(b.machine->kind());
      EXPECT_EQ(kinds, wanted);
      ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, plan, seed));
      ASSERT_NO_FATAL_FAILURE(runs::expect_pace(g, plan));
    }
  }
}

TEST(PipelinePad, ConstantsThatAreNoBorderAreRefused) {
  const auto why = [](const graph::Graph& g) {
    return test::refusal<NoMachine>([&] {
      const Foldings foldings(std::make_shared<const graph::Graph>(streamed(g)), {});
      (void)lowered(foldings, 1000);
    });
  };
  EXPECT_EQ(why(picked("1x11x11", "view 120 fill 1\n  runs 0 0 1 5 0 -1 0 1 0 5 1 115")),
            "a pipeline has no machine for p, a pick: its constants are not whole channels, lines "
            "and columns of the result");
  EXPECT_EQ(why(picked("4x5x6", "fill 1\n  runs 0 -1 0 4")),
            "a pipeline has no machine for p, a pick: it has no number of its input");
}

}  // namespace kumiki::gen::pipeline::pad_test
