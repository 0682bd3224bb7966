// SPDX-License-Identifier: Apache-2.0
// Networks of constant matrices: that they are the matrix, whatever is shared; ranges; what they
// cost, beside what the netlist has; registers.
#include "gen/blocks/const_matrix/plan.h"

#include <gtest/gtest.h>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/const_matrix/build.h"
#include "gen/blocks/const_matrix/rows.h"
#include "gen/blocks/const_matrix/stages.h"
#include "gen/blocks/const_matrix/table.h"
#include "gen/hdl/hdl.h"
#include "ir/check.h"
#include "ir/error.h"
#include "ir/resources.h"
#include "tests/support/random.h"
#include "tests/support/seed.h"

namespace kumiki::gen::const_matrix {
namespace const_matrix_network_test {

using tests::Random;

std::vector<Factors> random_rows(Random& random, std::size_t outputs, std::size_t inputs,
                                 unsigned bits) {
  std::vector<Factors> rows(outputs, Factors(inputs));
  for (Factors& row : rows)
    for (std::int64_t& f : row)
      f = arith::value_of(random.operand(bits), {static_cast<int>(bits), true});
  return rows;
}

// Nodes read what stands before them; their ranges are those of their factors, reached; no word is
// wider than they ask; registers stand as they should.
void expect_sound(const Task& task, const Network& n) {
  ASSERT_EQ(output_factors(n), task.rows);
  ASSERT_EQ(n.input_count(), task.rows[0].size());
  Network inside = n;
  inside.outputs.clear();
  for (std::uint32_t i = 0; i < n.nodes.size(); ++i) inside.outputs.push_back(Operand{i, 0, false});
  const auto factors = output_factors(inside);
  for (std::size_t i = 0; i < n.nodes.size(); ++i) {
    const Node& node = n.nodes[i];
    arith::Exact low = 0, high = 0;
    for (const std::int64_t f : factors[i]) {
      low += f * (f < 0 ? task.input.range().hi : task.input.range().lo);
      high += f * (f < 0 ? task.input.range().lo : task.input.range().hi);
    }
    EXPECT_EQ(node.range, (Interval{low, high}));
    for (const Operand& o : node.of) {
      ASSERT_LT(o.node, i);
      const Node& from = n.nodes[o.node];
      EXPECT_LE(from.stage, node.stage);
      if (from.stage == node.stage) {
        EXPECT_LT(from.depth, node.depth);
      }
    }
    if (node.kind == Kind::table) {
      EXPECT_LE(source_bits(n, node.of), table_inputs);
    }
    if (node.kind == Kind::chain) {
      const auto chain = chain_of(node.of, node.bits());
      ASSERT_TRUE(chain);
      if (task.levels < 3) {
        EXPECT_FALSE(chain->has_majority());
      }
    }
    if (task.levels > 0) {
      EXPECT_LE(node.depth, task.levels);
      EXPECT_LT(node.stage, n.latency);
    }
  }
  for (const auto& o : n.outputs) EXPECT_TRUE(!o || !o->negative);
}

std::vector<Task> small_tasks(Random& random) {
  std::vector<Task> all;
  for (const std::size_t outputs : {1, 2, 5})
    for (const std::size_t inputs : {1, 2, 3, 7})
      for (const int bits : {1, 2, 4, 8})
        for (const int levels : {0, 2, 3, 5})
          all.push_back({.rows = random_rows(random, outputs, inputs, 2 + random.below(7)),
                         .input = {bits, random.chance(50)},
                         .levels = levels,
                         .effort = 0});
  return all;
}

TEST(ConstMatrixNetwork, IsTheMatrixInEverySmallShape) {
  Random random(test::rotating_seed());
  for (const Task& task : small_tasks(random)) {
    const auto solution = solve(task);
    ASSERT_TRUE(solution);
    expect_sound(task, solution->network);
    if (HasFatalFailure()) return;
  }
}

// Random changes leave the matrix as it is, keep registers and latency, and only save LUTs.
TEST(ConstMatrixNetwork, ImprovedNetworksAreTheMatrix) {
  Random random(test::rotating_seed());
  for (const int bits : {2, 8})
    for (const int levels : {0, 2, 3, 5}) {
      Task task{.rows = random_rows(random, 5, 4, 7),
                .input = {bits, true},
                .levels = levels,
                .effort = 0};
      const auto first = solve(task);
      task.effort = 1;
      const auto improved = solve(task);
      ASSERT_TRUE(first && improved);
      expect_sound(task, improved->network);
      EXPECT_LE(sites(improved->network), sites(first->network));
      EXPECT_LE(improved->network.latency, first->network.latency);
      EXPECT_GE(improved->tried, first->tried);
      task.latency = shortest_latency(task);
      const auto early = solve(task);
      ASSERT_TRUE(early);
      expect_sound(task, early->network);
      EXPECT_LE(early->network.latency, *task.latency);
      --*task.latency;
      EXPECT_TRUE(*task.latency < 0 || !solve(task));
    }
}

// 4 - 1 and 2 + 1 are 3, in both signs; 8 + 1 and terms of two nodes have no other form.
TEST(ConstMatrixNetwork, DigitsHaveOtherForms) {
  const auto other = [](Operand low, Operand high) {
    recode(low, high);
    return std::pair(low, high);
  };
  for (const bool negative : {false, true}) {
    const std::pair<Operand, Operand> four{{0, 5, !negative}, {0, 7, negative}},
        two{{0, 5, negative}, {0, 6, negative}};
    EXPECT_EQ(other(four.first, four.second), two);
    EXPECT_EQ(other(two.first, two.second), four);
  }
  const std::pair<Operand, Operand> nine{{0, 0, false}, {0, 3, false}},
      mixed{{0, 0, false}, {1, 1, false}};
  EXPECT_EQ(other(nine.first, nine.second), nine);
  EXPECT_EQ(other(mixed.first, mixed.second), mixed);
}

TEST(ConstMatrixNetwork, EvaluatesAsTheMatrixDoes) {
  Random random(test::rotating_seed());
  const Task task{.rows = random_rows(random, 6, 9, 8), .input = {8, true}};
  const Network n = solve(task)->network;
  for (int k = 0; k < 200; ++k) {
    std::vector<std::int64_t> x;
    for (int i = 0; i < 9; ++i) x.push_back(arith::value_of(random.operand(8), task.input));
    const auto y = evaluate(n, x);
    for (std::size_t m = 0; m < task.rows.size(); ++m) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += task.rows[m][i] * x[i];
      EXPECT_EQ(y[m], sum);
    }
  }
}

// Worked by hand: 7 = 8 - 1 is two digits, 0 none, and an output that is an input is no chain.
TEST(ConstMatrixNetwork, DigitsAndWires) {
  const auto solution = solve({.rows = {{7}, {0}, {4}}, .input = {8, false}});
  ASSERT_TRUE(solution);
  const Network& n = solution->network;
  EXPECT_EQ(solution->digits, 3);
  ASSERT_EQ(n.nodes.size(), 2u);
  EXPECT_FALSE(n.outputs[1]);
  EXPECT_EQ(n.outputs[2], (Operand{0, 2, false}));
  EXPECT_EQ(n.nodes[1].range, (Interval{0, 1785}));
  // 8x - x: nothing passes by, so all 11 bits are positions.
  EXPECT_EQ(sites(n), 11);
  EXPECT_EQ(n.output_bits(), 11);
  EXPECT_FALSE(n.output_is_signed());
  EXPECT_EQ(n.latency, 1);
  EXPECT_EQ(flip_flops(n), 11 + 8);
}

// a + 5b + 5c and 5b + 5c + d have 5b + 5c in common.
TEST(ConstMatrixNetwork, OutputsShareSums) {
  const Task task{.rows = {{1, 5, 5, 0}, {0, 5, 5, 1}}, .input = {8, true}};
  EXPECT_LE(std::ranges::count(solve(task)->network.nodes, Kind::chain, &Node::kind), 4);
}

TEST(ConstMatrixNetwork, HandChains) {
  // x + 4y on 8-bit words: the two lowest bits pass by.
  const auto plain = chain_of({{0, 0, false}, {1, 2, false}}, 11);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->sites(), 9);
  EXPECT_FALSE(plain->carry);
  EXPECT_FALSE(plain->has_majority());
  // x - 4y: the 1 of the two's complement counts where y begins.
  EXPECT_TRUE(chain_of({{0, 0, false}, {1, 2, true}}, 11)->carry);
  // 4y - x: x does not pass.
  EXPECT_EQ(chain_of({{0, 0, true}, {1, 2, false}}, 11)->sites(), 11);
  // x - y - 2z: one 1 by the carry, one as a majority below z.
  const auto two = chain_of({{0, 0, false}, {1, 0, true}, {2, 1, true}}, 11);
  EXPECT_TRUE(two->carry && two->majority);
  EXPECT_EQ(two->three, 1);
  EXPECT_EQ(two->levels(), 3);
  EXPECT_FALSE(chain_of({{0, 0, true}, {1, 0, true}, {2, 1, true}}, 11));
}

// A sum of 1-bit inputs is a table: 3a + 5b + c has one LUT for two bits.
TEST(ConstMatrixNetwork, NarrowInputsGoThroughTables) {
  const auto solution = solve({.rows = {{3, 5, 1, 9, 7}}, .input = {1, false}});
  ASSERT_TRUE(solution);
  ASSERT_EQ(solution->network.nodes.size(), 6u);
  EXPECT_EQ(solution->network.nodes[5].kind, Kind::table);
  EXPECT_EQ(sites(solution->network), 3);
}

TEST(ConstMatrixNetwork, KeepsALatency) {
  Random random(7);
  Task task{.rows = random_rows(random, 8, 16, 8), .input = {8, true}};
  const int shortest = shortest_latency(task);
  task.latency = shortest;
  const auto solution = solve(task);
  ASSERT_TRUE(solution);
  EXPECT_LE(solution->network.latency, shortest);
  expect_sound(task, solution->network);
  task.latency = 1;
  EXPECT_FALSE(solve(task));
}

TEST(ConstMatrixNetwork, RefusesWhatIsTooWide) {
  EXPECT_NO_THROW((void)solve({.rows = {{1ll << 33}}, .input = {28, true}}));
  EXPECT_NO_THROW(require_narrow({.rows = {{1ll << 34}}, .input = {28, true}}));
  EXPECT_THROW(require_narrow({.rows = {{1ll << 35}}, .input = {28, true}}), DesignError);
  EXPECT_THROW((void)solve({.rows = {{1ll << 40}}, .input = {30, true}}), DesignError);
}

// What networks are compared by is what their netlists have, but for bits that nobody reads.
TEST(ConstMatrixNetwork, CountsAreThoseOfTheNetlist) {
  Random random(test::rotating_seed());
  for (const Task& task : small_tasks(random)) {
    const Network n = solve(task)->network;
    Builder builder;
    ir::Module& m = builder.design().add_module("m");
    Scope s(builder, m);
    std::vector<UInt> x;
    for (std::size_t i = 0; i < task.rows[0].size(); ++i)
      x.push_back(
          s.input<UInt>("x" + std::to_string(i), static_cast<std::uint32_t>(task.input.bits)));
    const auto y = build_network(s, n, x, ir::net_one);
    for (std::size_t i = 0; i < y.size(); ++i) s.output("y" + std::to_string(i), y[i]);
    s.finish();
    builder.design().set_top(m.id());
    ASSERT_TRUE(ir::check(builder.design(), {.warnings = false}).empty());
    EXPECT_NEAR(ir::own_cost(m).luts, sites(n), 2 + sites(n) / 50);
    const auto total = ir::count_resources(builder.design()).total;
    EXPECT_LE(total.ffs, static_cast<std::uint64_t>(flip_flops(n)));
    EXPECT_GE(total.ffs + 4, static_cast<std::uint64_t>(flip_flops(n)));
    EXPECT_EQ(total.lut_rams, 0u);
  }
}

}  // namespace const_matrix_network_test
}  // namespace kumiki::gen::const_matrix
