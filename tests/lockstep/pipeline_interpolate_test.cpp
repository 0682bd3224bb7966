// SPDX-License-Identifier: Apache-2.0
// Maps of another size whose numbers lie between others: every way to place them, lanes, formats,
// both roundings; whole pipelines; and what float32 would round.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/text.h"
#include "gen/operators/interpolate/machine.h"
#include "ir/resources.h"
#include "tests/support/cache.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/pipeline_runs.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::pipeline::interpolate_test {

// Places of an axis that grows `times`; of half pixels, or from the first place on.
struct Axis {
  std::vector<std::int32_t> from;
  std::vector<float> parts;
  Axis(int length, int times, bool of_halves) {
    for (int i = 0; i < times * length; ++i) {
      const float by = static_cast<float>(times);
      const float at =
          of_halves ? (static_cast<float>(i) + 0.5F) / by - 0.5F : static_cast<float>(i) / by;
      const float x = std::clamp(at, 0.0F, static_cast<float>(length - 1));
      from.push_back(static_cast<std::int32_t>(x));
      parts.push_back(from.back() == length - 1 ? 0.5F : x - std::floor(x));
    }
  }
};

graph::Graph graph_of(const Stream& s, std::array<int, 2> times, bool of_halves, bool truncates,
                      int zero, float scale = 1) {
  const auto tensor = [&](const char* name, int height, int width) {
    return graph::Tensor{.name = name,
                         .shape = {static_cast<int>(s.channels), height, width},
                         .format = s.format,
                         .zero_point = zero,
                         .scale = scale};
  };
  const int height = static_cast<int>(s.height), width = static_cast<int>(s.width);
  const Axis rows(height, times[0], of_halves), columns(width, times[1], of_halves);
  graph::Graph g{
      .name = "between",
      .tensors = {tensor("x", height, width), tensor("y", times[0] * height, times[1] * width)},
      .nodes = {{.name = "grow",
                 .op = graph::Interpolate{.rows = rows.from,
                                          .columns = columns.from,
                                          .row_parts = rows.parts,
                                          .column_parts = columns.parts,
                                          .truncates = truncates ? 1 : 0},
                 .inputs = {0},
                 .output = 1}},
      .outputs = {1}};
  graph::require_legal(g);
  return g;
}

InterpolatePlan plan_of(const graph::Graph& g, std::int64_t lanes) {
  const graph::Tensor& x = g.tensors[0];
  const auto& op = std::get<graph::Interpolate>(g.nodes[0].op);
  return {.stream = stream_of(x, lanes),
          .rows = *BetweenAxis::of(op.rows, op.row_parts, x.shape[1]),
          .columns = *BetweenAxis::of(op.columns, op.column_parts, x.shape[2]),
          .truncates = op.truncates != 0,
          .zero_point = x.zero_point};
}

struct Case {
  graph::Graph g;
  InterpolatePlan plan;
};

std::vector<Case> sweep() {
  std::vector<Case> all;
  const std::pair<int, int> sizes[] = {{1, 1}, {1, 4}, {3, 1}, {2, 2}, {3, 5}, {4, 3}, {5, 4}};
  const std::array<int, 2> times[] = {{2, 2}, {1, 2}, {2, 1}, {4, 2}, {4, 8}, {2, 4}};
  const std::pair<int, int> channels[] = {{1, 1}, {5, 2}, {3, 3}, {4, 1}};  // and lanes
  const arith::Format formats[] = {{8, false}, {8, true}, {3, true}, {1, false}, {5, false}};
  int turn = 0;
  for (const auto& [height, width] : sizes)
    for (const auto& by : times) {
      const auto [some, lanes] = channels[turn % 4];
      const arith::Format format = formats[turn % 5];
      const Stream s{.height = height, .width = width, .channels = some, .format = format};
      const bool truncates = turn % 3 == 0;
      const int zero = truncates ? 0 : static_cast<int>(format.range().lo) + turn % 2;
      ++turn;
      graph::Graph g = graph_of(s, by, turn % 4 != 0, truncates, zero);
      InterpolatePlan plan = plan_of(g, lanes);
      all.push_back({std::move(g), std::move(plan)});
    }
  return all;
}

TEST(PipelineInterpolate, FramesAreThoseOfTheGraphAndComeInTheirInterval) {
  for (const Case& c : sweep()) {
    SCOPED_TRACE(c.plan.text());
    ASSERT_EQ(c.plan.why_not(), std::nullopt);
    ASSERT_NO_THROW(test::FrameRig(machine(c.plan)).expect_frames(c.g, 5, 3));
    if (HasFailure()) break;
  }
}

test::Machines every(std::size_t step) {
  const auto all = sweep();
  test::Machines some;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(machine(all[i].plan));
  return some;
}

TEST(PipelineInterpolate, LockstepWithStallsAndResets) {
  test::MachineRig(every(9)).run_lanes(100);
  test::MachineRig rig(every(2));
  rig.run_native(1500);
}

TEST(PipelineInterpolate, OnVerilator) {
  test::MachineRig(every(11)).run_verilated(2000, test::shared_cache);
}

TEST(PipelineInterpolate, WrongCellsAreSeen) {
  const Stream s{.height = 3, .width = 3, .channels = 2, .format = {3, true}};
  const graph::Graph g = graph_of(s, {2, 2}, true, false, 1);
  test::MachineRig({machine(plan_of(g, 1))}).expect_mutants_seen(40, 1200, 2400);
}

TEST(PipelineInterpolate, AtMostThreeLevelsAndNoSlice) {
  for (const std::int64_t lanes : {1, 8}) {
    const Stream s{.height = 100, .width = 100, .channels = 16, .format = {8, false}};
    const InterpolatePlan p = plan_of(graph_of(s, {2, 2}, true, lanes == 1, 0), lanes);
    ASSERT_EQ(p.why_not(), std::nullopt);
    test::MachineRig rig({machine(p)});
    test::expect_levels(rig.design(), p.levels(), p.text());
    const auto cost = ir::count_resources(rig.design()).total;
    EXPECT_EQ(cost.dsps, 0U);
    EXPECT_LE(cost.luts, 120 + 200 * static_cast<std::size_t>(lanes));
  }
}

TEST(PipelineInterpolate, WhatCannotBeBuiltSaysWhy) {
  const auto why = [](const Stream& s, std::array<int, 2> times) {
    return *plan_of(graph_of(s, times, true, true, 0), 1).why_not();
  };
  EXPECT_EQ(why({.height = 2, .width = 513, .format = {8, false}}, {1, 2}),
            "an axis has 1026 positions; it must have at most 1024");
  EXPECT_EQ(why({.height = 1, .width = 512, .channels = 129, .format = {8, false}}, {1, 2}),
            "half of the numbers of two lines are 131072 words; they must be at most 65536");
  InterpolatePlan fewer =
      plan_of(graph_of({.height = 4, .width = 4, .format = {8, true}}, {2, 2}, true, true, 0), 1);
  fewer.rows.from = {0, 2};
  EXPECT_EQ(fewer.why_not(), "it skips numbers of the map; rows and columns must not become fewer");
  EXPECT_EQ(BetweenAxis::of({0}, {1 / 256.0F}, 2), std::nullopt);
}

std::optional<PipelinePlan> pipeline_at(const graph::Graph& g, std::int64_t clocks) {
  const Foldings foldings(std::make_shared<const graph::Graph>(streamed(g)), {});
  PipelinePlan plan = with_queues(lowered(foldings, clocks));
  plan.graph = std::make_shared<const graph::Graph>(g);
  return plan;
}

std::vector<std::string> kinds_of(const PipelinePlan& plan) {
  std::vector<std::string> kinds;
  for (const Box& b : plan.boxes) kinds.push_back(b.machine->kind());
  return kinds;
}

TEST(PipelineInterpolate, AsPipelines) {
  const Stream s{.height = 5, .width = 6, .channels = 4, .format = {8, true}};
  // Numbers themselves, and reals with scales that have few bits.
  for (const auto& [g, clocks, lanes] :
       {std::tuple(graph_of(s, {2, 2}, true, true, 0), 480, 1),
        {graph_of(s, {2, 2}, true, false, 7, 0.25F), 240, 2},
        {graph_of(s, {4, 2}, false, false, -128, 3 * 0.0625F), 240, 4}}) {
    const auto plan = pipeline_at(g, clocks);
    EXPECT_THAT(kinds_of(*plan), ::testing::Contains("interpolate"));
    EXPECT_EQ(plan->output().lanes, lanes);
    ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, *plan, 1));
    ASSERT_NO_FATAL_FAILURE(runs::expect_pace(g, *plan));
  }
}

// A map of one pixel, and parts of 0: whatever the scale, every number is one of the map.
TEST(PipelineInterpolate, NumbersOfTheMapAreOnlyMoved) {
  const Stream pixel{.channels = 3, .format = {8, true}};
  const graph::Graph g = graph_of(pixel, {4, 3}, true, false, 5, 0.1F);
  const auto plan = pipeline_at(g, 100);
  EXPECT_THAT(kinds_of(*plan), ::testing::Not(::testing::Contains("interpolate")));
  ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, *plan, 1));
}

TEST(PipelineInterpolate, WhatFloat32RoundsIsRefused) {
  const auto why = [](const graph::Graph& g) {
    return test::refusal<NoMachine>([&] { (void)pipeline_at(g, 10'000); });
  };
  const Stream s{.height = 5, .width = 6, .channels = 4, .format = {8, true}};
  EXPECT_EQ(why(graph_of(s, {2, 2}, true, false, 3, 0.1F)),
            "a pipeline has no machine for grow, an interpolate: float32 rounds its sums of reals "
            "with the scale 0.100000001; use a scale that is a power of two, the QOperator form, "
            "which adds the numbers themselves, or mode nearest");
  EXPECT_THAT(
      why(graph_of(s, {3, 2}, true, true, 3)),
      ::testing::HasSubstr("its parts are not multiples of 1/128; resize by powers of two"));
  graph::Graph other = graph_of(s, {2, 2}, true, false, 3);
  other.tensors[1].zero_point = 4;
  EXPECT_THAT(why(other), ::testing::HasSubstr("its result has another scale or zero point"));
}

}  // namespace kumiki::gen::pipeline::interpolate_test
