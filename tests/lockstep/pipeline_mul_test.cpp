// SPDX-License-Identifier: Apache-2.0
// Products of two streams: zero points on either side, signs, results by a factor and by a table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/operators/mul/machine.h"
#include "ir/resources.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"

namespace kumiki::gen::pipeline::mul_test {

struct Case {
  std::string name;
  graph::Tensor a, b, product;
  bool is_table = false;
};

graph::Tensor tensor(int bits, bool is_signed, float scale, int zero_point) {
  return {.format = {bits, is_signed}, .zero_point = zero_point, .scale = scale};
}

std::vector<Case> cases() {
  return {{"a gate from 0 on", tensor(8, false, 0.0431F, 117), tensor(8, false, 0.0039F, 0),
           tensor(8, false, 0.0267F, 101)},
          {"zero points on both sides", tensor(8, true, 0.0431F, 17),
           tensor(8, true, 0.0369F, -128), tensor(8, true, 0.0467F, -5)},
          {"the first is from 0 on", tensor(8, true, 0.0131F, 0), tensor(8, false, 0.0369F, 200),
           tensor(8, true, 0.0467F, 127)},
          {"never clamped", tensor(8, false, 0.01F, 0), tensor(8, false, 0.02F, 0),
           tensor(8, false, 0.0631F, 0)},
          {"a power of two", tensor(8, false, 0.5F, 0), tensor(8, false, 0.00390625F, 0),
           tensor(8, false, 0.5F, 0)},
          {"few bits", tensor(4, false, 0.3F, 2), tensor(4, true, 0.2F, -1),
           tensor(4, true, 0.4F, 1), true},
          {"ratios of small integers", tensor(6, true, 0.3F, 1), tensor(6, true, 0.3F, 2),
           tensor(6, true, 0.54F, 3)}};
}

Stream stream_of(const Case& c, std::int64_t channels, std::int64_t lanes) {
  return {.height = 2, .width = 3, .channels = channels, .lanes = lanes, .format = c.a.format};
}

graph::Graph graph_of(const Case& c, const Stream& stream) {
  graph::Graph g{.name = "product", .tensors = {c.a, c.b, c.product}, .outputs = {2}};
  for (std::size_t i = 0; i < g.tensors.size(); ++i) {
    g.tensors[i].name = fmt::format("t{}", i);
    g.tensors[i].shape = test::shape_of(stream);
  }
  g.nodes.push_back({.name = "mul", .op = graph::Mul{}, .inputs = {0, 1}, .output = 2});
  return g;
}

MulPlan plan_of(const Case& c, const Stream& a) {
  return {.a = a, .b = a.with(c.b.format), .zero_a = c.a.zero_point, .zero_b = c.b.zero_point};
}

std::vector<test::Numbers> random_frames(const Stream& s, std::uint64_t seed) {
  return {test::random_tensor(s, seed), test::random_tensor(s, seed + 1),
          test::random_tensor(s, seed + 2)};
}

TEST(PipelineMul, ProductsAndTheirInterval) {
  int turn = 0;
  for (const Case& c : cases()) {
    const MulPlan plan = plan_of(c, stream_of(c, 1 + turn % 5, 1 + turn % 3));
    ++turn;
    SCOPED_TRACE(c.name + ": " + plan.text());
    const auto a = random_frames(plan.a, 3), b = random_frames(plan.b, 7);
    std::vector<test::Numbers> wanted = a;
    for (std::size_t f = 0; f < a.size(); ++f)
      for (std::size_t i = 0; i < a[f].size(); ++i)
        wanted[f][i] = (a[f][i] - c.a.zero_point) * (b[f][i] - c.b.zero_point);
    test::FrameRig rig(machine(plan));
    rig.expect_frames({a, b}, wanted);
    test::expect_levels(rig.design(), plan.levels());
    const auto cost = ir::count_resources(rig.design()).total;
    EXPECT_EQ(static_cast<std::int64_t>(cost.dsps), plan.slices());
    const bool subtracts = c.a.zero_point != 0 && c.b.zero_point != 0;
    EXPECT_LE(cost.luts, (subtracts ? 18 : 8) * plan.a.lanes + 20);
  }
}

// Every pair of bytes: the products as numbers, through the machines of a node.
TEST(PipelineMul, EveryPairBecomesItsNumber) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Stream stream{.height = 1 << c.b.format.bits,
                        .channels = 1 << c.a.format.bits,
                        .lanes = 8,
                        .format = c.a.format};
    const graph::Graph g = graph_of(c, stream);
    const MulPlan plan = plan_of(c, stream);
    const auto numbers = requantised_products(g, g.nodes[0], plan, {});
    EXPECT_EQ(!numbers, c.is_table);
    test::Numbers a, b, wanted, products;
    for (int i = 0; i < 1 << c.a.format.bits; ++i)
      for (int k = 0; k < 1 << c.b.format.bits; ++k) {
        a.push_back(lowest(c.a) + i);
        b.push_back(lowest(c.b) + k);
        products.push_back((a.back() - c.a.zero_point) * (b.back() - c.b.zero_point));
        wanted.push_back(graph::multiplied(c.a, c.b, c.product, a.back(), b.back()));
      }
    using Frames = std::vector<std::vector<test::Numbers>>;
    const auto run = numbers ? test::FrameRig(machine(*numbers)).netlist(Frames(1, {products}))
                             : test::FrameRig(machine(table_of_products(g, g.nodes[0], plan)))
                                   .netlist(Frames{{a}, {b}});
    ASSERT_EQ(run.frames.size(), 1u);
    EXPECT_TRUE(run.frames[0] == wanted);
  }
}

TEST(PipelineMul, LockstepWithStallsAndResets) {
  test::Machines all;
  int turn = 0;
  for (const Case& c : cases()) {
    all.push_back(machine(plan_of(c, stream_of(c, 1 + turn % 5, 1 + turn % 3))));
    ++turn;
  }
  test::MachineRig rig(all);
  rig.run_native(1500);
  rig.run_lanes(100);
}

TEST(PipelineMul, WrongCellsAreSeen) {
  const auto all = cases();
  test::MachineRig({machine(plan_of(all[1], stream_of(all[1], 2, 1)))}).expect_mutants_seen(30);
}

}  // namespace kumiki::gen::pipeline::mul_test
