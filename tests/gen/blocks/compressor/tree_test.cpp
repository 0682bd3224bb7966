// SPDX-License-Identifier: Apache-2.0
// Trees: solved, audited by counting, and run for every input or many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include <fmt/format.h>

#include "gen/blocks/compressor/options.h"
#include "gen/blocks/compressor/solver/runs.h"
#include "gen/blocks/compressor/solver/solve.h"
#include "gen/blocks/compressor/timing.h"
#include "ir/error.h"
#include "tests/gen/blocks/compressor/support.h"
#include "tests/support/long_form.h"

namespace kumiki::gen::compressor {
namespace compressor_tree_test {

using ::testing::HasSubstr, ::testing::Not;

TreePlan popcount(unsigned n, Finish finish = Finish::row, bool free_exits = false) {
  return {.shape = popcount_shape(n), .finish = finish, .free_exits = free_exits};
}

HeapCircuit::Fill column_of(unsigned n) {
  return [n](Heap& h, const UInt& x) {
    for (unsigned i = 0; i < n; ++i) h.add(0, x[i]);
  };
}

class SmallPopcount : public ::testing::TestWithParam<unsigned> {};

TEST_P(SmallPopcount, IsExactForEveryInput) {
  const unsigned n = GetParam();
  for (Finish finish : {Finish::row, Finish::ternary})
    for (auto family : {ir::Family::series7, ir::Family::ultrascale_plus}) {
      TreePlan plan = solve(popcount(n, finish), {.effort = 0});
      HeapCircuit circuit(n, plan.shape.width(), column_of(n), plan, family);
      circuit.for_all([&](std::uint64_t x, std::uint64_t y) {
        EXPECT_EQ(y, static_cast<unsigned>(std::popcount(x)));
      });
      // Three rows can be shorter on top than planned, never longer.
      EXPECT_LE(circuit.sites(), audit(plan).luts()) << to_text(plan);
    }
}

INSTANTIATE_TEST_SUITE_P(Upto16, SmallPopcount, ::testing::Range(1u, 17u));

// Structured inputs of any number: all zero, all one, one hot, one cold, random of every density.
void run_popcount(HeapCircuit& circuit, unsigned n) {
  std::mt19937_64 random(n);
  for (unsigned round = 0; round < 40 + n / 16; ++round) {
    std::vector<ir::Lanes> x(n);
    for (unsigned i = 0; i < n; ++i) {
      ir::Lanes dense = random(), more = random();
      x[i] = round < n / 16 + 1 ? (i / 16 == round ? 0x3ull << (i % 16 + 2) : 0) | 2
             : round % 3 == 0   ? dense | more
             : round % 3 == 1   ? dense & more
                                : dense;
      if (round % 2) x[i] = ~x[i];
    }
    auto y = circuit.run(x);
    for (unsigned lane = 0; lane < 64; ++lane) {
      unsigned want = 0, got = 0;
      for (auto w : x) want += w >> lane & 1;
      for (std::size_t i = 0; i < y.size(); ++i)
        got |= static_cast<unsigned>(y[i] >> lane & 1) << i;
      ASSERT_EQ(got, want) << "round " << round << " lane " << lane;
    }
  }
}

TEST(Tree, Popcount64HasNoMoreThan47LutsInThreeStages) {
  TreePlan plan = solve(popcount(64), {.effort = 1, .stages = 3});
  HeapCircuit circuit(64, 7, column_of(64), plan);
  EXPECT_LE(circuit.sites(), 47u) << to_text(plan);
  EXPECT_EQ(circuit.sites(), audit(plan).luts());
  EXPECT_GE(circuit.sites(), plan.bound);
  run_popcount(circuit, 64);
}

// A register behind every stage: carries leave beside the sum bits.
TEST(Tree, FreeExitsNeedARegisterBehindEveryStage) {
  TreePlan plan = solve(popcount(31, Finish::row, true), {.effort = 0});
  EXPECT_THROW(HeapCircuit(31, 5, column_of(31), plan), DesignError);
  EXPECT_THROW(HeapCircuit(31, 5, column_of(31), plan, ir::Family::series7, {.every = 2}),
               DesignError);
  HeapCircuit circuit(31, 5, column_of(31), plan, ir::Family::series7, {.every = 1});
  EXPECT_EQ(circuit.sites(), audit(plan).luts());
  EXPECT_LE(audit(plan).luts(), audit(solve(popcount(31), {.effort = 0})).luts());
}

// The seed decides, not the clock or what was solved before.
TEST(Tree, TheSameRequestGivesTheSameTree) {
  auto first = to_text(solve(popcount(40), {.effort = 0}));
  solve(popcount(23), {.effort = 0});
  EXPECT_EQ(to_text(solve(popcount(40), {.effort = 0})), first);
}

TEST(Tree, TextGivesThePlanBack) {
  for (const auto& request :
       {popcount(50), popcount(33, Finish::ternary), popcount(48, Finish::row, true)}) {
    TreePlan plan = solve(request, {.effort = 0});
    EXPECT_EQ(parse_tree(to_text(plan)), plan) << to_text(plan);
  }
}

TreePlan from(const std::string& stage,
              const std::string& head = "tree 3 columns, finish row\nbits 6 0 0\n") {
  return parse_tree(head + "stage\n" + stage);
}

void expect_refused(const std::string& stage, const std::string& why) {
  try {
    from(stage);
    ADD_FAILURE() << "accepted: " << stage;
  } catch (const DesignError& e) {
    EXPECT_THAT(e.what(), HasSubstr(why));
  }
}

TEST(TreeText, WhatCannotStandIsRefused) {
  from("1 x c63 at 0\n");
  from("lead chain A06 at 0\n");
  expect_refused("1 x fa at 0\n", "column 0: 4 bits are left, but the final adder takes 3");
  expect_refused("chain c63 at 0\n", "c63 is not a carry atom");
  expect_refused("1 x A06 at 0\n", "A06 is not a counter");
  expect_refused("pin chain A06 at 0\n",
                 "a carry cannot enter A06, whose first position is bypassed");
  expect_refused("exit chain A2 at 0\nchain A06 at 0\n", "stands behind no exit");
  from("chain A2 at 0 open\n1 x fa at 0\n");
  expect_refused("chain A06 at 0 open\n", "the carry of A06 cannot stay open here");
  expect_refused("chain A2 at 0 open\nexit chain A2 at 0\n", "stands behind no exit");
  expect_refused("chain A06 at 2\n", "reaches beyond the top column 2");
  expect_refused("chain H05 at 0\n", "stage 1: H05 takes bits of the column below, there is none");
  expect_refused("1 x c64 at 0\n", "\"c64\" is not an element");
  expect_refused("one x c63 at 0\n", "line 4: \"one\" is not a number");
  expect_refused("1 x c63 on 0\n", "line 4: \"at\" is expected instead of \"on\"");
  expect_refused("1 x c63 at 0 0\n",
                 "line 4: unexpected word \"0\" at the end of the line; remove it");
  expect_refused("exit 1 x c63 at 0\n", "a carry enters a chain");
  EXPECT_THROW(parse_tree(""), DesignError);
}

// Numbers that no tree has: said, and neither believed nor paid for in memory.
TEST(TreeText, NumbersBeyondTheHeapAreRefused) {
  expect_refused("1 x c63 at 4294967295\n", "reaches beyond the top column 2");
  expect_refused("1 x c63 at 4294967293\n", "reaches beyond the top column 2");
  expect_refused("chain A06 at 4294967295\n", "the top column is 2");
  expect_refused("lead chain A06 at 3\n", "the top column is 2");
  expect_refused("4294967295 x c63 at 0\n", "4294967295 counters");
  for (const char* text :
       {"tree 4294967295 columns, finish row\nbits 1\n",
        "tree 2 columns, finish row\nbits 4294967295 4294967295\nstage\n 9 x c63 at 0\n"})
    EXPECT_THROW(parse_tree(text), DesignError);
  std::string stages = "tree 3 columns, finish row\nbits 6 0 0\n";
  for (int i = 0; i < 1000; ++i) stages += "stage\n";
  EXPECT_THROW(parse_tree(stages), DesignError);
  const Shape wanted{{6, 0, 0}, {0, 0, 0}}, wide{{6, 0, 0, 0}, {0, 0, 0, 0}};
  const std::string text = "tree 3 columns, finish row\nbits 6 0 0\nstage\n1 x c63 at 0\n";
  EXPECT_EQ(parse_tree(text, &wanted).shape, wanted);
  EXPECT_THROW(parse_tree(text, &wide), DesignError);
}

// An open carry with nothing to be added to it becomes a bit in a LUT of its own.
TEST(Tree, AnOpenCarryAloneInItsColumnNeedsNoFinalAdder) {
  TreePlan plan = from("chain A2 at 0 open\n", "tree 2 columns, finish row\nbits 2 0\n");
  const Audit a = audit(plan);
  EXPECT_EQ(a.finish_luts, 1u);
  EXPECT_EQ(a.finish_positions, 0u);
  HeapCircuit circuit(2, 2, column_of(2), plan);
  EXPECT_EQ(circuit.sites(), a.luts());
  circuit.for_all([](std::uint64_t x, std::uint64_t y) {
    EXPECT_EQ(y, static_cast<unsigned>(std::popcount(x)));
  });
}

// The shortest trees of all small numbers: exact, and there are such trees.
TEST(Tree, DelayTreesOfEverySmallNumber) {
  for (unsigned n = 2; n <= 14; ++n) {
    TreePlan request = popcount(n);
    request.objective = Objective::delay;
    const TreePlan plan = solve(request, {.effort = 0});
    HeapCircuit circuit(n, plan.shape.width(), column_of(n), plan);
    EXPECT_LE(circuit.sites(), audit(plan).luts()) << to_text(plan);
    circuit.for_all([&](std::uint64_t x, std::uint64_t y) {
      EXPECT_EQ(y, static_cast<unsigned>(std::popcount(x)));
    });
  }
}

// Forty chains of three positions in one run. Where their carry can enter on a pin a new one is
// free, else it takes a position.
TEST(Tree, LongRunsAreSplit) {
  struct Case {
    std::string chain, bits;
    unsigned luts;
  };
  for (const Case& c : {Case{"A2 A2", " 3 2 0", 0}, Case{"A06", " 7 0 0", 1}}) {
    std::string bits = c.luts ? " 6 0 0" : " 2 2 0", stage;
    for (unsigned i = 0; i < 40; ++i) {
      if (i > 0) bits += c.bits;
      stage += fmt::format("{}chain {} at {}\n", i > 0 ? "exit " : "", c.chain, 3 * i);
    }
    TreePlan plan = from(stage, "tree 120 columns, finish row\nbits" + bits + "\n");
    const unsigned before = audit(plan).luts();
    EXPECT_EQ(longest_run(plan), 120u);
    split_runs(plan);
    EXPECT_LE(longest_run(plan), most_positions);
    EXPECT_EQ(audit(plan).luts(), before + c.luts);
    unsigned inputs = 0;
    for (unsigned n : plan.shape.bits) inputs += n;
    HeapCircuit circuit(
        inputs, 120,
        [&](Heap& h, const UInt& x) {
          unsigned next = 0;
          for (unsigned column = 0; column < 120; ++column)
            for (unsigned i = 0; i < plan.shape.bits[column]; ++i) h.add(column, x[next++]);
        },
        plan);
    EXPECT_EQ(circuit.sites(), before + c.luts);
    const TreePlan once = plan;
    split_runs(plan);
    EXPECT_EQ(plan, once);
  }
}

// The shortest shipped trees are no longer than what is found without it. Half a minute for
// the neuron whose weights are inputs.
TEST(ShippedTrees, DelayTreesAreNotSlowerThanThoseSolvedAnew) {
  unsigned trees = 0;
  for (const auto& [file, plan] : shipped_trees()) {
    if (plan.objective != Objective::delay || plan.shape.total() > 40) continue;
    if (plan.shape.has_pairs() && !test::long_form()) continue;
    TreePlan request = plan;
    request.stages.clear();
    const TreePlan anew = solve(request, {.effort = TreeOptions{}.effort});
    EXPECT_LE(estimate(plan).picoseconds, estimate(anew).picoseconds) << file;
    ++trees;
  }
  EXPECT_GE(trees, 3u) << "popcounts of 16 and 32, and a neuron";
}

TEST(Tree, AHeapOfAnotherShapeIsRefused) {
  TreePlan plan = solve(popcount(9), {.effort = 0});
  EXPECT_THROW(HeapCircuit(10, 4, column_of(10), plan), DesignError);
}

// The bound of a tree that is searched for its delay is not computed, and 0 LUTs would be one.
TEST(Tree, ABoundIsPrintedWhereOneIsKnown) {
  const TreePlan least = solve(popcount(20), {.effort = 1});
  TreePlan wanted = popcount(20);
  wanted.objective = Objective::delay;
  const TreePlan fast = solve(wanted, {.effort = 0});
  EXPECT_GT(least.bound, 0);
  EXPECT_THAT(tree_text(least),
              HasSubstr(fmt::format("bound        {:g} LUTs: nothing smaller", least.bound)));
  EXPECT_EQ(fast.bound, 0);
  EXPECT_THAT(tree_text(fast), Not(HasSubstr("bound")));
}

// The least tree there is has no element too many, and the audit finds out that one is missing.
TEST(Tree, ATreeWithoutOneElementIsRefused) {
  const TreePlan plan = solve(popcount(20), {.effort = 1});
  ASSERT_TRUE(plan.is_proven);
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    for (std::size_t i = 0; i < plan.stages[s].counters.size(); ++i) {
      TreePlan less = plan;
      less.stages[s].counters.erase(less.stages[s].counters.begin() + static_cast<int>(i));
      EXPECT_THROW(audit(less), DesignError) << to_text(less);
    }
    for (std::size_t i = 0; i < plan.stages[s].chains.size(); ++i) {
      TreePlan less = plan;
      less.stages[s].chains.erase(less.stages[s].chains.begin() + static_cast<int>(i));
      EXPECT_THROW(audit(less), DesignError) << to_text(less);
    }
  }
}

}  // namespace compressor_tree_test
}  // namespace kumiki::gen::compressor
