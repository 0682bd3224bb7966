// SPDX-License-Identifier: Apache-2.0
// Softmax in integers: each machine of its chain, and whole chains against their definition.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/operators/softmax/machine.h"
#include "ir/resources.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/pipeline_runs.h"

namespace kumiki::gen::pipeline::softmax_test {
namespace {

struct Case {
  int height, width, groups, size;
  std::int64_t lanes;
  bool is_signed;
  float scale, made;
};

// Lanes that divide a group and lanes that do not, one lane and all of them.
std::vector<Case> cases() {
  return {{1, 2, 1, 5, 2, false, 0.11F, 1.0F / 255},   {2, 2, 3, 4, 2, true, 0.3F, 1.0F / 256},
          {1, 1, 1, 1, 1, false, 0.05F, 1.0F / 256},   {1, 3, 2, 6, 3, false, 0.02F, 1.0F / 128},
          {2, 1, 1, 7, 7, true, 0.07F, 1.0F / 255},    {1, 2, 1, 19, 8, false, 0.2F, 1.0F / 256},
          {1, 2, 2, 3, 1, true, 0.5F, 0.9F},           {3, 1, 1, 8, 4, false, 1.1F, 1.0F / 255},
          {1, 1, 1, 150, 96, true, 0.07F, 1.0F / 255}, {1, 1, 2, 98, 49, true, 0.07F, 1.0F / 255}};
}

graph::Graph graph_of(const Case& c) {
  const int zero = c.is_signed ? -128 : 0;
  graph::Graph g{
      .name = "softmax",
      .tensors = {{"x", {c.groups * c.size, c.height, c.width}, {8, c.is_signed}, 3, c.scale},
                  {"y", {c.groups * c.size, c.height, c.width}, {8, c.is_signed}, zero, c.made}},
      .outputs = {1}};
  g.nodes.push_back({.name = "softmax",
                     .op = graph::Softmax{.groups = c.groups, .integers = 1},
                     .inputs = {0},
                     .output = 1});
  return g;
}

struct Chain {
  LargestPlan largest;
  DistancesPlan distances;
  ExponentialsPlan sums;
  DivisionPlan division;
  SharesPlan shares;
  test::Machines all() const {
    return {machine(largest), machine(distances), machine(sums), machine(division),
            machine(shares)};
  }
};

Chain chain_of(const Case& c, std::int64_t pace) {
  const graph::Graph g = graph_of(c);
  const GroupedStream in{stream_of(g.tensors[0], c.lanes), c.groups};
  const graph::SoftmaxIntegers integers = integers_of(g.tensors[0], g.tensors[1]);
  Chain made{.largest = {in}, .distances = {in}, .sums = {}, .division = {}, .shares = {}};
  const GroupedStream below{made.distances.output(), c.groups};
  made.sums = {below, integers};
  made.division = {made.sums.output(), integers, pace};
  made.shares = {below, integers, g.tensors[1].format};
  return made;
}

test::Machines all_machines() {
  test::Machines all;
  std::int64_t pace = 1;
  for (const Case& c : cases()) {
    for (auto& m : chain_of(c, pace).all()) all.push_back(std::move(m));
    pace = pace * 3 % 26 + 1;
  }
  return all;
}

TEST(PipelineSoftmax, LockstepWithStallsAndResets) {
  test::MachineRig rig(all_machines());
  rig.run_native(3000);
  rig.run_lanes(300);
}

TEST(PipelineSoftmax, LevelsAndSlices) {
  for (const auto& m : all_machines()) {
    SCOPED_TRACE(m->text());
    test::FrameRig rig(m);
    test::expect_levels(rig.design(), m->levels(), m->text());
    EXPECT_EQ(static_cast<std::int64_t>(ir::count_resources(rig.design()).total.dsps), m->slices());
  }
}

// Every number of a format is the largest once; every distance occurs.
TEST(PipelineSoftmax, MachinesTakeFramesInTheirInterval) {
  for (const Case& c : cases()) {
    const Chain chain = chain_of(c, 5);
    const GroupedStream& g = chain.largest.groups;
    std::vector<test::Numbers> frames, wanted;
    for (std::uint64_t f = 0; f < 5; ++f) {
      frames.push_back(test::random_tensor(g.stream, f + 1));
      test::Numbers largest;
      const auto pixels = static_cast<std::size_t>(g.stream.pixels());
      for (std::size_t pixel = 0; pixel < pixels; ++pixel)
        for (std::int64_t group = 0; group < c.groups; ++group) {
          std::int32_t most = -128;
          for (int i = 0; i < c.size; ++i)
            most = std::max(
                most, frames.back()[static_cast<std::size_t>(group * c.size + i) * pixels + pixel]);
          largest.push_back(most);
        }
      wanted.push_back(largest);
    }
    test::FrameRig(machine(chain.largest)).expect_frames({frames}, wanted);
    if (HasFailure()) break;
  }
}

// Divisors near to powers of two and to the ends, at every pace.
TEST(PipelineSoftmax, QuotientsAreExact) {
  for (const std::int64_t factor : {1, 127, 128, 254, 255, 256})
    for (const std::int64_t pace : {1, 2, 9, 13, 25, 26, 27}) {
      const graph::SoftmaxIntegers integers{.factor = factor};
      const DivisionPlan plan{.stream = {.width = 12, .format = {31, false}},
                              .integers = integers,
                              .pace = std::min<std::int64_t>(pace, integers.reciprocal_bits())};
      test::Numbers sums, wanted;
      for (const std::int64_t sum :
           {1 << 23, (1 << 23) + 1, 3 << 22, (1 << 24) - 1, 1 << 24, 255 << 16, 7 << 21, 197 << 20,
            123456789, 987654321, (1 << 30) + 1, 2147483647}) {
        sums.push_back(static_cast<std::int32_t>(sum));
        wanted.push_back(static_cast<std::int32_t>((factor << 41) / sum));
      }
      test::FrameRig(machine(plan)).expect_frames({{sums, sums, sums}}, {wanted, wanted, wanted});
      if (HasFailure()) return;
    }
}

TEST(PipelineSoftmax, WrongCellsAreSeen) {
  const Chain chain = chain_of(cases()[1], 9);
  test::MachineRig(chain.all()).expect_mutants_seen(60, 600, 1500);
}

TEST(PipelineSoftmax, NodesAreAsDefined) {
  std::uint64_t seed = 0;
  for (const Case& c : cases()) {
    const graph::Graph g = graph_of(c);
    SCOPED_TRACE(graph::to_text(g));
    const auto plan = runs::pipeline_of(g, seed++);
    ASSERT_TRUE(plan);
    ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, *plan, seed));
    ASSERT_NO_FATAL_FAILURE(runs::expect_pace(g, *plan));
  }
}

// Attention of 197 tokens: 25 clocks a row in 8 lanes.
TEST(PipelineSoftmax, OfATransformer) {
  const graph::Graph g = graph_of({1, 12, 1, 197, 8, false, 0.0617F, 1.0F / 256});
  ASSERT_NO_FATAL_FAILURE(runs::expect_in_clocks(g, 12 * 25, "softmax of 197 at 8 a clock"));
}

TEST(PipelineSoftmax, RefusesFloat32) {
  graph::Graph g = graph_of(cases()[0]);
  std::get<graph::Softmax>(g.nodes[0].op).integers = 0;
  ASSERT_NO_FATAL_FAILURE(runs::expect_refused_in_float32(g));
}

}  // namespace
}  // namespace kumiki::gen::pipeline::softmax_test
