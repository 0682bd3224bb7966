// SPDX-License-Identifier: Apache-2.0
// LayerNorm in integers: each machine of its chain, and whole chains against their definition.
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/operators/layer_norm/machine.h"
#include "ir/resources.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/pipeline_runs.h"

namespace kumiki::gen::pipeline::layer_norm_test {
namespace {

struct Case {
  int height, width, size;
  std::int64_t lanes;
  bool is_signed;
  float scale, epsilon, made;
  bool makes_signed = true;
  bool has_biases = true;
};

// Lanes that divide the channels and lanes that do not, one lane and all of them; an epsilon that
// matters and one that does not; blocks that one LUT tells apart and more.
std::vector<Case> cases() {
  return {{1, 2, 8, 4, false, 0.05F, 1e-5F, 0.03F},
          {2, 2, 8, 8, true, 0.3F, 1e-12F, 0.02F, false},
          {1, 3, 24, 5, false, 0.02F, 1e-5F, 0.05F, true, false},
          {1, 1, 96, 1, true, 0.01F, 0.1F, 0.04F},
          {1, 1, 200, 3, false, 0.05F, 1e-6F, 0.5F, false},
          {1, 2, 1024, 40, true, 0.05F, 1e-12F, 0.0231F}};
}

graph::Graph graph_of(const Case& c) {
  std::mt19937_64 random(7);
  std::normal_distribution<float> values(0, 1);
  graph::LayerNorm op{.epsilon = c.epsilon, .factors = {}, .biases = {}, .integers = 1};
  for (int i = 0; i < c.size; ++i) {
    op.factors.push_back(0.6F + 0.3F * values(random));
    if (c.has_biases) op.biases.push_back(0.3F * values(random));
  }
  graph::Graph g{.name = "norm",
                 .tensors = {{"x", {c.size, c.height, c.width}, {8, c.is_signed}, 3, c.scale},
                             {"y", {c.size, c.height, c.width}, {8, c.makes_signed}, 7, c.made}},
                 .outputs = {1}};
  g.nodes.push_back({.name = "norm", .op = op, .inputs = {0}, .output = 1});
  return g;
}

struct Chain {
  MomentsPlan moments;
  RootPlan root;
  NormalPlan normal;
  test::Machines all() const { return {machine(moments), machine(root), machine(normal)}; }
};

Chain chain_of(const Case& c) {
  const graph::Graph g = graph_of(c);
  const Stream in = stream_of(g.tensors[0], c.lanes);
  const graph::NormIntegers integers =
      integers_of(std::get<graph::LayerNorm>(g.nodes[0].op), g.tensors[0], g.tensors[1]);
  Chain made{.moments = {in, integers.center}, .root = {}, .normal = {}};
  made.root = {made.moments.output(), integers};
  made.normal = {in, integers, made.root.word(), g.tensors[1].format};
  return made;
}

test::Machines all_machines() {
  test::Machines all;
  for (const Case& c : cases())
    for (auto& m : chain_of(c).all()) all.push_back(std::move(m));
  return all;
}

TEST(PipelineLayerNorm, LockstepWithStallsAndResets) {
  test::MachineRig rig(all_machines());
  rig.run_native(3000);
  rig.run_lanes(300);
}

TEST(PipelineLayerNorm, LevelsAndSlices) {
  for (const auto& m : all_machines()) {
    SCOPED_TRACE(m->text());
    test::FrameRig rig(m);
    test::expect_levels(rig.design(), m->levels(), m->text());
    EXPECT_EQ(static_cast<std::int64_t>(ir::count_resources(rig.design()).total.dsps), m->slices());
  }
}

TEST(PipelineLayerNorm, WrongCellsAreSeen) {
  test::MachineRig(chain_of(cases()[0]).all()).expect_mutants_seen(60, 600, 1500);
}

TEST(PipelineLayerNorm, NodesAreAsDefined) {
  std::uint64_t seed = 0;
  for (const Case& c : cases()) {
    const graph::Graph g = graph_of(c);
    SCOPED_TRACE(fmt::format("{} numbers", c.size));
    const auto plan = runs::pipeline_of(g, seed++);
    ASSERT_TRUE(plan);
    ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, *plan, seed));
    ASSERT_NO_FATAL_FAILURE(runs::expect_pace(g, *plan));
  }
}

// Tokens of 192 numbers: 24 clocks each in 8 lanes.
TEST(PipelineLayerNorm, OfATransformer) {
  const graph::Graph g = graph_of({1, 12, 192, 8, false, 0.05F, 1e-6F, 0.0231F});
  ASSERT_NO_FATAL_FAILURE(runs::expect_in_clocks(g, 12 * 24, "layer_norm of 192 at 8 a clock"));
}

TEST(PipelineLayerNorm, RefusesFloat32) {
  graph::Graph g = graph_of(cases()[0]);
  std::get<graph::LayerNorm>(g.nodes[0].op).integers = 0;
  ASSERT_NO_FATAL_FAILURE(runs::expect_refused_in_float32(g));
}

}  // namespace
}  // namespace kumiki::gen::pipeline::layer_norm_test
