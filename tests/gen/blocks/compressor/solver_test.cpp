// SPDX-License-Identifier: Apache-2.0
// The search for trees: what it finds with the default effort, in a process that may fail, and how
// it is stopped.
#include <coin/Cbc_C_Interface.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "gen/blocks/compressor/options.h"
#include "gen/blocks/compressor/solver/apart.h"
#include "gen/blocks/compressor/solver/mip.h"
#include "gen/blocks/compressor/solver/reduced.h"
#include "gen/blocks/compressor/solver/relax.h"
#include "gen/blocks/compressor/solver/repeats.h"
#include "gen/blocks/compressor/solver/search.h"
#include "gen/blocks/compressor/solver/solve.h"
#include "gen/blocks/compressor/solver/start.h"
#include "gen/blocks/compressor/timing.h"
#include "ir/error.h"
#include "ir/interrupt.h"
#include "tests/gen/blocks/compressor/heaps.h"

// CBC as it is when its simplex method fails an assertion: with its own choice of rows, or with
// any. Processes that solve are copies of this one, so they fail as this one says. These stand
// before the library's functions of the same name and call them.
namespace {
enum class Fails { never, with_its_own_pivots, always } cbc_fails = Fails::never;
bool has_other_pivots = false;
template <class Function>
Function* of_library(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
}  // namespace

extern "C" void Cbc_setParameter(Cbc_Model* model, const char* name, const char* value) {
  has_other_pivots |= std::string_view(name) == "dualPivot";
  of_library<decltype(Cbc_setParameter)>("Cbc_setParameter")(model, name, value);
}

extern "C" int Cbc_solve(Cbc_Model* model) {
  if (cbc_fails == Fails::always || (cbc_fails != Fails::never && !has_other_pivots)) std::abort();
  return of_library<decltype(Cbc_solve)>("Cbc_solve")(model);
}

namespace kumiki::gen::compressor {
namespace gen_compressor_solver_test {

class FailingLibrary : public ::testing::Test {
 protected:
  ~FailingLibrary() override { cbc_fails = Fails::never; }
  // The most of 3 x + 2 y with x + y <= 4, x + 3 y <= 6, x <= 3: 3 and 1.
  static Mip program() {
    Mip mip;
    const int x = mip.add(0, 3, -3, true), y = mip.add(0, 10, -2, true);
    mip.row({{x, 1}, {y, 1}}, 'L', 4);
    mip.row({{x, 1}, {y, 3}}, 'L', 6);
    return mip;
  }
};

TEST_F(FailingLibrary, IsAskedAgainWithOtherPivots) {
  for (const Fails fails : {Fails::never, Fails::with_its_own_pivots}) {
    cbc_fails = fails;
    const MipResult r = program().solve({});
    EXPECT_FALSE(r.is_lost);
    ASSERT_TRUE(r.has_solution);
    EXPECT_EQ(r.x, (std::vector<double>{3, 1}));
  }
}

TEST_F(FailingLibrary, GivesUpInWordsWhenThatFailsToo) {
  cbc_fails = Fails::always;
  EXPECT_TRUE(program().solve({}).is_lost);
  EXPECT_THROW(solve({.shape = popcount_shape(20)}, {.effort = 1, .most_stages = 2}), DesignError);
}

// The same tree, whichever of the two found it, or one as good.
TEST_F(FailingLibrary, ATreeIsFoundAllTheSame) {
  cbc_fails = Fails::with_its_own_pivots;
  const TreePlan plan = solve({.shape = popcount_shape(20)}, {.effort = 1});
  EXPECT_EQ(plan.stages.size(), 2u);
  EXPECT_EQ(audit(plan).luts(), 13u);
}

std::vector<double> forever() {
  for (volatile unsigned n = 0; n == 0;) {
  }
  return {};
}

TEST(Apart, NumbersComeBack) {
  std::vector<double> many(100'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = double(i) / 7;
  EXPECT_EQ(apart([&] { return many; }, {}).numbers, many);
}

TEST(Apart, WhateverEndsTheWorkEndsNothingElse) {
  for (int signal : {SIGABRT, SIGSEGV, SIGKILL, SIGFPE}) {
    const Apart told = apart(
        [signal]() -> std::vector<double> {
          std::raise(signal);
          return {1};
        },
        {});
    EXPECT_TRUE(told.numbers.empty()) << signal;
    EXPECT_FALSE(told.is_stopped);
  }
  EXPECT_TRUE(apart([]() -> std::vector<double> { throw 1; }, {}).numbers.empty());
  EXPECT_TRUE(apart([]() -> std::vector<double> { std::exit(0); }, {}).numbers.empty());
}

TEST(Apart, ThePulseStopsIt) {
  int beats = 0;
  EXPECT_TRUE(apart(forever, [&] { return ++beats < 3; }).is_stopped);
  EXPECT_EQ(beats, 3);
}

TEST(Apart, SeveralAtOnceAnswerInTheirOrder) {
  const std::vector<Work> works{[] {
                                  ::usleep(50'000);
                                  return std::vector<double>{1};
                                },
                                []() -> std::vector<double> { std::abort(); },
                                [] { return std::vector<double>{3}; }};
  const std::vector<Apart> told = apart(works, {});
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].numbers, std::vector<double>{1});
  EXPECT_TRUE(told[1].numbers.empty());
  EXPECT_EQ(told[2].numbers, std::vector<double>{3});
}

TEST(Apart, ThePulseStopsAllOfThem) {
  int beats = 0;
  for (const Apart& told : apart(std::vector<Work>{forever, [] { return std::vector<double>{3}; }},
                                 [&] { return ++beats < 3; }))
    EXPECT_TRUE(told.is_stopped);
}

// x + y >= 3 with y at most 2, costs 2 and 3, both integers, and z between them and the next rows.
Mip with_fixed(double z) {
  Mip mip;
  const int x = mip.add(0, 9, 2, true), y = mip.add(0, 2, 3, true), fixed = mip.add(z, z, 5, true);
  mip.row({{x, 1}, {y, 1}, {fixed, 1}}, 'G', 3 + z);
  mip.row({{x, 1}, {fixed, -1}}, 'L', 1 - z);
  return mip;
}

TEST(Reduced, FixedVariablesAreConstants) {
  const Reduced part(with_fixed(4));
  EXPECT_EQ(part.kept, (std::vector<int>{0, 1}));
  EXPECT_EQ(part.fixed_cost, 20);
  EXPECT_EQ(part.program.rows()[0].right, 3);
  EXPECT_EQ(part.program.rows()[1].right, 1);
  EXPECT_EQ(part.expanded(with_fixed(4), {1, 2}), (std::vector<double>{1, 2, 4}));
  Mip wrong;
  wrong.row({{wrong.add(3, 3, 0, true), 1}}, 'L', 2);
  EXPECT_FALSE(Reduced(wrong).is_feasible);
  EXPECT_TRUE(wrong.solve({}).is_infeasible);
}

// The same program behind other constants is solved once.
TEST(Repeats, WhatIsKnownTakesNoWork) {
  const SolveOptions options{.effort = 1};
  Search search(options);
  Repeats repeats(search);
  const MipResult first = repeats.solve(with_fixed(4), {});
  const auto work = search.work();
  EXPECT_GT(work, 0U);
  const MipResult second = repeats.solve(with_fixed(7), {});
  EXPECT_EQ(search.work(), work);
  EXPECT_EQ(first.x, (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(second.x, (std::vector<double>{1, 2, 7}));
  EXPECT_EQ(first.objective, 28);
  EXPECT_EQ(second.objective, 43);
  EXPECT_EQ(second.bound, 43);
}

TEST(Search, LooksForSeveralSolutionsAtOnce) {
  const SolveOptions options{.effort = 1};
  Search search(options);
  const auto found =
      search.look({[](Search& own) { return std::optional(own.solve(with_fixed(4), {}).x); },
                   [](Search&) -> std::optional<std::vector<double>> { return std::nullopt; },
                   [](Search& own) { return std::optional(own.solve(with_fixed(0), {}).x); }});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], (std::vector<double>{1, 2, 4}));
  EXPECT_FALSE(found[1]);
  EXPECT_EQ(found[2], (std::vector<double>{1, 2, 0}));
  EXPECT_GT(search.work(), 0U) << "theirs is its own";
}

// Costs are wrong at random, but alike in all columns.
TEST(RelaxAndFix, AKindHasOneCost) {
  Mip mip;
  for (unsigned i = 0; i < 6; ++i) mip.add(0, 1, 2, true);
  const Mip wrong = with_wrong_costs(mip, {7, 8, 7, 8, no_kind, 7}, 0.2, 3);
  EXPECT_NE(wrong.cost(0), 2);
  EXPECT_NEAR(wrong.cost(0), 2, 0.2);
  EXPECT_NE(wrong.cost(0), wrong.cost(1));
  EXPECT_EQ(wrong.cost(0), wrong.cost(2));
  EXPECT_EQ(wrong.cost(0), wrong.cost(5));
  EXPECT_EQ(wrong.cost(1), wrong.cost(3));
  EXPECT_EQ(wrong.cost(4), 2);
}

// Where whoever started us does not want to hear of children.
TEST(Apart, IgnoredChildrenAreNoFailure) {
  auto* before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(apart(
                [] {
                  return std::vector<double>{4, 5};
                },
                {})
                .numbers,
            (std::vector<double>{4, 5}));
  std::signal(SIGCHLD, before);
}

// Shipped trees as solutions of the program that looks for such trees: every row holds, and they
// are what is read back.
TEST(TreeModel, AShippedTreeIsASolution) {
  unsigned exits = 0;
  for (const auto& [file, tree] : shipped_trees()) {
    if (tree.objective == Objective::paper || tree.shape.total() > 128) continue;
    SCOPED_TRACE(file);
    const auto known = useful_elements(tree);
    const auto uses_others = [&](const Stage& stage) {
      const auto other = [&](std::size_t e) { return std::ranges::find(known, e) == known.end(); };
      return std::ranges::any_of(stage.counters, other, &Counter::element) ||
             std::ranges::any_of(
                 stage.chains, [&](const Chain& c) { return std::ranges::any_of(c.atoms, other); });
    };
    if (std::ranges::any_of(tree.stages, uses_others)) continue;  // by an earlier solver
    const TreeModel model(tree, static_cast<unsigned>(tree.stages.size()), known);
    const auto x = model.encode(tree);
    for (const Mip::Row& row : model.mip.rows()) {
      double left = 0;
      for (std::size_t i = 0; i < row.variables.size(); ++i)
        left += row.factors[i] * x[static_cast<std::size_t>(row.variables[i])];
      EXPECT_TRUE(row.sense == 'G' || left <= row.right + 1e-6);
      EXPECT_TRUE(row.sense == 'L' || left >= row.right - 1e-6);
    }
    EXPECT_EQ(audit(model.decode(x)).luts(), audit(tree).luts());
    for (const Stage& stage : tree.stages)
      exits += static_cast<unsigned>(std::ranges::count(stage.chains, Entry::exit, &Chain::entry));
  }
  EXPECT_GT(exits, 10U);
}

// How many products of two bits a multiplier of 16x16 has in each column.
std::vector<unsigned> columns_of_16x16() {
  std::vector<unsigned> all(32, 0);
  for (unsigned a = 0; a < 16; ++a)
    for (unsigned b = 0; b < 16; ++b) ++all[a + b];
  return all;
}

// Of the products of a multiplier, with LUTs alone: as few stages as a heap of that height takes,
// 16 pairs to 12 bits at most, 6, 3 and 2. Room for pairs that are not there lowers nothing.
TEST(Greedy, AWideHeapIsLowAfterFewStages) {
  const TreePlan request{.shape = {std::vector(32, 0U), columns_of_16x16()},
                         .objective = Objective::delay};
  auto counters = useful_elements(request);
  std::erase_if(counters, [](std::size_t e) { return elements()[e].is_atom; });
  const SolveOptions options{.effort = 0};
  Search search(options);
  for (const unsigned stages : {3U, 4U}) {
    const TreeModel model(request, stages, counters, 0, Chains::none);
    const auto solution = greedy(model, search);
    ASSERT_EQ(solution.has_value(), stages == 4) << stages;
    if (!solution) continue;
    const TreePlan tree = model.decode(*solution);
    EXPECT_EQ(tree.stages.size(), stages);
    EXPECT_EQ(audit(tree).longest_chain, 0U);
    // The column where the final chain begins may have one for its carry in.
    auto rows = audit(tree).levels.back().all();
    std::ranges::sort(rows, std::greater{});
    EXPECT_LE(rows[0], 3U);
    EXPECT_LE(rows[1], 2U);
  }
}

// Sums of words: as few LUTs as for `luts`, where that is no slower than what Yosys takes, which is
// 7.57 ns for a multiplier's heap of 16x16 (README.md), 7.04 of it behind the first wire.
TEST(Solver, AreaOfAWideHeapHasFewLuts) {
  const Shape heap{columns_of_16x16(), std::vector(32, 0U)};
  const TreePlan area = solve({.shape = heap, .objective = Objective::area}, {.effort = 1});
  EXPECT_EQ(area.objective, Objective::area);
  EXPECT_LE(audit(area).luts(), 150U);  // the fastest trees have 171 and more
  EXPECT_LE(estimate(area).picoseconds, 7040U);
}

TEST(Search, StoppedBeforeThereIsATreeItIsInterrupted) {
  EXPECT_THROW(solve({.shape = popcount_shape(90)}, {.effort = 1, .pulse = [] { return false; }}),
               Interrupted);
}

TEST(Search, StoppedLaterItHasTheBestTreeSoFar) {
  const TreePlan request{.shape = popcount_shape(90)};
  const TreePlan plan = solve(
      request, {.effort = 5, .progress = [](const SolveOptions::Progress&) { return false; }});
  EXPECT_TRUE(plan.is_stopped);
  EXPECT_NO_THROW(audit(plan));
  EXPECT_EQ(parse_tree(to_text(plan)), plan) << "and says so as text";
}

// The heap of the products of two words of five bits: a stage of LUTs and a chain, which no tree
// without c23 does. It is for nothing but a short delay.
TEST(Solver, AWideHeapForDelayTakesAStageLess) {
  Shape shape{{1, 2, 3, 4, 5, 4, 3, 2, 1, 0}, std::vector(10, 0U)};
  const TreePlan fast = solve({.shape = shape, .objective = Objective::delay}, {.effort = 1});
  EXPECT_EQ(fast.stages.size(), 2U);
  EXPECT_THAT(to_text(fast), ::testing::HasSubstr("x c23 at"));
  EXPECT_GT(audit(fast).longest_chain, 0U) << "the second is the final adder";
  EXPECT_LE(estimate(fast).picoseconds, 3100U);
  const TreePlan small = solve({.shape = shape, .objective = Objective::luts}, {.effort = 1});
  EXPECT_THAT(to_text(small), ::testing::Not(::testing::HasSubstr("c23")));
  EXPECT_LT(audit(small).luts(), audit(fast).luts());
}

// Few LUTs, but not many levels more than the fastest tree; trees that are known are taken as they
// are.
TEST(Solver, AreaIsBetweenLutsAndDelay) {
  for (const Shape& shape : {popcount_shape(9), popcount_shape(14)}) {
    const auto tree = [&](Objective o, std::vector<TreePlan> known = {}) {
      return solve({.shape = shape, .objective = o}, {.effort = 1, .known = std::move(known)});
    };
    const TreePlan luts = tree(Objective::luts), area = tree(Objective::area),
                   fast = tree(Objective::delay);
    EXPECT_EQ(area.objective, Objective::area);
    EXPECT_LE(audit(luts).luts(), audit(area).luts());
    EXPECT_LE(audit(area).luts(), audit(fast).luts());
    EXPECT_LE(estimate(fast).picoseconds, estimate(area).picoseconds);
    EXPECT_LE(estimate(area).picoseconds, estimate(fast).picoseconds * 29 / 20);
    const TreePlan chosen = tree(Objective::area, {luts, fast});
    EXPECT_TRUE(chosen.stages == luts.stages || chosen.stages == fast.stages);
  }
}

// Sums of three to five words are smallest in trees that end in chains, one stage a word: there is
// no final adder. They are not slower than a synthesiser's either.
TEST(Solver, SumsOfFewWordsEndInChains) {
  const struct {
    unsigned words, luts;
    Objective objective;
  } sums[] = {{3, 9, Objective::luts},
              {3, 9, Objective::stages},
              {3, 9, Objective::area},
              {5, 15, Objective::luts}};
  for (const auto& sum : sums) {
    std::vector<unsigned> bits(9);
    std::fill_n(bits.begin(), 6, sum.words);
    const TreePlan plan =
        solve({.shape = {bits, std::vector(9, 0U)}, .objective = sum.objective}, {.effort = 0});
    const Audit a = audit(plan);
    EXPECT_EQ(plan.objective, sum.objective);
    EXPECT_EQ(a.finish_luts, 0U) << sum.words;
    EXPECT_EQ(plan.stages.size(), sum.words - 1);
    EXPECT_EQ(plan.bound, 0) << "what is known of trees with other chains is not known here";
    EXPECT_LE(a.luts(), sum.luts) << sum.words;
  }
}

// Where columns are alike, what is found for a few holds for all: a hundred columns take about five
// times what twenty do, with their ends.
TEST(Solver, ManyEqualColumnsCostAsMuchEach) {
  const auto luts = [](unsigned columns) {
    std::vector<unsigned> bits(columns + 2);
    std::fill_n(bits.begin(), columns, 4);
    const TreePlan plan =
        solve({.shape = {bits, std::vector(columns + 2, 0U)}, .objective = Objective::luts},
              {.effort = 1});
    return audit(plan).luts();
  };
  const unsigned few = luts(20), many = luts(100);
  EXPECT_LE(many, 5 * few + 5) << few;
}

// A popcount of 512 whose last inputs are 0 is one of fewer: where no start finds a tree of those,
// stages that are made one by one take more LUTs than that.
TEST(Solver, FewerOnesNeedNoMoreLuts) {
  const auto luts = [](unsigned bits) {
    return audit(
               solve({.shape = popcount_shape(bits), .objective = Objective::luts}, {.effort = 1}))
        .luts();
  };
  const unsigned all = luts(512);
  for (const unsigned fewer : {489U, 501U}) EXPECT_LE(luts(fewer), all) << fewer;
}

// The table was made with the solver as it was at 396e275, at its default effort, and took it up
// to a quarter of an hour a heap; delays are of netlists, as today's finds them in minutes. What it
// finds at once is at most three in a hundred slower where delay is asked for; else it has as many
// stages where those come first, and needs at most three in a hundred more LUTs, but for the heap
// named here.
class DefaultEffort : public ::testing::TestWithParam<KnownHeap> {};

TEST_P(DefaultEffort, IsWithinThreePercentOfTheLongSearch) {
  static const std::map<std::string, unsigned> missed{{"neuron 100 embedded luts", 64}};
  const KnownHeap& heap = GetParam();
  const TreePlan plan = solve(heap.request(), {.effort = TreeOptions{}.effort});
  const unsigned luts = audit(plan).luts();
  RecordProperty("luts", static_cast<int>(luts));
  if (heap.objective == Objective::delay) {
    EXPECT_LE(estimate(plan).picoseconds, heap.picoseconds * 103 / 100);
    return;
  }
  const auto miss = missed.find(heap.name);
  EXPECT_LE(luts,
            miss != missed.end() ? miss->second : heap.luts + std::max(1u, heap.luts * 3 / 100));
  if (heap.objective == Objective::stages) {
    EXPECT_EQ(plan.stages.size(), heap.stages);
  }
}

std::vector<KnownHeap> heaps_that_are(bool cheap) {
  std::vector<KnownHeap> some;
  for (const KnownHeap& heap : known_heaps())
    if (heap.is_cheap == cheap) some.push_back(heap);
  return some;
}

std::string name_of_heap(const ::testing::TestParamInfo<KnownHeap>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Heaps, DefaultEffort, ::testing::ValuesIn(heaps_that_are(true)),
                         name_of_heap);
INSTANTIATE_TEST_SUITE_P(Long, DefaultEffort, ::testing::ValuesIn(heaps_that_are(false)),
                         name_of_heap);

}  // namespace gen_compressor_solver_test
}  // namespace kumiki::gen::compressor
