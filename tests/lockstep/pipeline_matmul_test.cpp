// SPDX-License-Identifier: Apache-2.0
// Products of two maps: terms that are channels or pixels, heads, zero points on either side.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/operators/matmul/machine.h"
#include "ir/resources.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/pipeline_runs.h"

namespace kumiki::gen::pipeline::matmul_test {

struct Case {
  std::string name;
  graph::Shape a, b;
  graph::MatMul op;
  arith::Format format_a{8, false}, format_b{8, false};
  int zero_a = 128, zero_b = 117;
};

std::vector<Case> cases() {
  return {
      {"scores of two heads", {8, 1, 5}, {8, 1, 6}, {.groups = 2}},
      {"values of two heads", {12, 1, 5}, {8, 1, 6}, {.groups = 2, .by_pixels = 1}},
      {"one term", {1, 1, 3}, {1, 1, 4}, {}, {8, true}, {8, true}, -128, 127},
      {"one pixel", {6, 1, 1}, {6, 1, 1}, {.groups = 3}, {8, true}, {8, false}, 0, 0},
      {"one output", {7, 1, 4}, {1, 1, 7}, {.by_pixels = 1}, {8, false}, {8, true}, 3, 0},
      {"maps of lines", {6, 2, 3}, {6, 3, 2}, {.groups = 2}, {8, true}, {8, true}, 5, -7},
      {"few bits", {9, 1, 4}, {9, 1, 2}, {.groups = 3}, {4, false}, {3, true}, 2, -1},
  };
}

graph::Graph graph_of(const Case& c) {
  graph::Graph g{
      .name = "product",
      .tensors = {{"a", c.a, c.format_a, c.zero_a, 0.03F}, {"b", c.b, c.format_b, c.zero_b, 0.05F}},
      .outputs = {2},
      .more_inputs = {1}};
  const graph::MatMulSizes sizes =
      sizes_of(c.op, {.inputs = {&g.tensors[0], &g.tensors[1]}, .output = nullptr});
  g.tensors.push_back(
      {"y", {static_cast<int>(sizes.outputs) * c.op.groups, c.a[1], c.a[2]}, {8, true}, -3, 0.07F});
  g.nodes.push_back({.name = "matmul", .op = c.op, .inputs = {0, 1}, .output = 2});
  return g;
}

MatMulPlan plan_of(const Case& c, std::int64_t lanes) {
  const graph::Graph g = graph_of(c);
  const MatMulRuns runs = runs_of(c.op, sizes_of(c.op, graph::ends_of(g, g.nodes[0])), lanes);
  const auto stream = [&](std::size_t i, std::int64_t n) { return stream_of(g.tensors[i], n); };
  return {.a = repeated_first(stream(0, c.op.by_pixels == 1 ? 1 : lanes), runs).output(),
          .b = repeated_second(c.op, stream(1, lanes), runs).output(),
          .factors = {c.format_a, c.format_b, c.zero_a, c.zero_b}};
}

// All lanes that divide what they must divide.
std::vector<MatMulPlan> plans() {
  std::vector<MatMulPlan> all;
  for (const Case& c : cases()) {
    const graph::Graph g = graph_of(c);
    const graph::MatMulSizes sizes = sizes_of(c.op, graph::ends_of(g, g.nodes[0]));
    const std::int64_t most = c.op.by_pixels == 1 ? sizes.outputs : sizes.terms;
    for (std::int64_t lanes = 1; lanes <= most; ++lanes)
      if (most % lanes == 0) all.push_back(plan_of(c, lanes));
  }
  return all;
}

TEST(PipelineMatMul, ProductsOfBeatsAndTheirInterval) {
  for (const MatMulPlan& plan : plans()) {
    SCOPED_TRACE(plan.text());
    std::vector<test::Numbers> a, b, wanted;
    for (std::uint64_t f = 0; f < 3; ++f) {
      a.push_back(test::random_tensor(plan.a, f + 1));
      b.push_back(test::random_tensor(plan.b, f + 11));
      const auto beats = static_cast<std::size_t>(plan.b.pixels());
      wanted.emplace_back(static_cast<std::size_t>(plan.output().channels) * beats, 0);
      for (std::size_t lane = 0; lane < static_cast<std::size_t>(plan.b.lanes); ++lane)
        for (std::size_t i = 0; i < beats; ++i)
          wanted[f][(plan.adds_lanes() ? 0 : lane) * beats + i] += static_cast<std::int32_t>(
              (a[f][(plan.adds_lanes() ? lane : 0) * beats + i] - plan.factors.zero_a) *
              (b[f][lane * beats + i] - plan.factors.zero_b));
    }
    test::FrameRig rig(machine(plan));
    rig.expect_frames({a, b}, wanted);
    test::expect_levels(rig.design(), plan.levels());
    EXPECT_EQ(static_cast<std::int64_t>(ir::count_resources(rig.design()).total.dsps),
              plan.slices());
  }
}

TEST(PipelineMatMul, LockstepWithStallsAndResets) {
  test::MachineRig rig(test::machines_of(plans()));
  rig.run_native(1500);
  rig.run_lanes(100);
}

TEST(PipelineMatMul, WrongCellsAreSeen) {
  test::MachineRig({machine(plan_of(cases()[0], 2))}).expect_mutants_seen(30);
  test::MachineRig({machine(plan_of(cases()[1], 4))}).expect_mutants_seen(30);
}

// The whole node as a pipeline, at several paces.
TEST(PipelineMatMul, NodesAreAsDefined) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const graph::Graph g = graph_of(c);
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto plan = runs::pipeline_of(g, seed);
      ASSERT_TRUE(plan);
      ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, *plan, seed));
      ASSERT_NO_FATAL_FAILURE(runs::expect_pace(g, *plan));
    }
  }
}

}  // namespace kumiki::gen::pipeline::matmul_test
