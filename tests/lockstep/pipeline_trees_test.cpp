// SPDX-License-Identifier: Apache-2.0
// Convolutions of graphs whose products are added by compressor trees: signs and numbers in every
// combination, an odd number of signs a clock, a border of 0 that no sign is, sets of one clock,
// the longest sum of a clock.
#include "gen/operators/conv/convolution.h"
#include "ir/remembered.h"
#include "tests/lockstep/convolutions.h"
#include "tests/support/levels.h"
#include "tests/support/machine_layer.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::convolution_test {
namespace {

constexpr arith::Format sign{2, true};

// Trees are searched for once.
ColumnsOf trees() {
  static ir::Remembered found;
  return {.are_trees = true, .context = {.store = &found}};
}

// The same graph behind steps to -1 and 1, where its numbers are signs.
ConvolutionPlan in_trees(const Case& c) {
  Graph g = graph_of(c);
  if (c.numbers_are_signs) {
    g.tensors.push_back({"before", c.in, {8, true}, 0});
    g.nodes.insert(
        g.nodes.begin(),
        {"steps", graph::Thresholds{.lowest = -1, .levels = 2, .begins = {5, 5}}, {2}, 0});
    g.input = 2;
  }
  const graph::Node& node = g.nodes.back();
  EXPECT_EQ(why_not_in_trees(g, node), "");
  return convolution(g, node, {c.rows, c.columns, c.positions}, trees());
}

std::shared_ptr<const Machine> machine_of(const Case& c) { return machine(in_trees(c)); }

Case of_signs(Case c) {
  c.numbers = sign;
  c.numbers_are_signs = c.weights_are_signs = true;
  return c;
}

std::vector<Case> signs() {
  const graph::Window window{.kernel = {3, 3}};
  const graph::Window padded{.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}};
  std::vector<Case> all = {
      {.in = {4, 4, 4}, .out = 4, .window = window, .rows = 4, .columns = 2},
      {.in = {4, 4, 5}, .out = 5, .window = window, .rows = 2, .columns = 2},  // a tile is not full
      {.in = {3, 4, 4}, .out = 3, .window = window, .rows = 3, .columns = 1},  // odd
      {.in = {5, 4, 3}, .out = 2, .window = window, .rows = 1, .columns = 2},
      {.in = {6, 4, 4}, .out = 3, .window = padded, .rows = 6, .columns = 3},
      {.in = {3, 4, 4}, .out = 3, .window = padded, .rows = 3, .columns = 2},
      {.in = {2, 3, 5},
       .out = 3,
       .window = {.kernel = {2, 3}, .stride = {2, 1}, .before = {0, 2}, .after = {1, 0}},
       .rows = 1,
       .columns = 2},
      // A set of one clock.
      {.in = {8, 3, 3}, .out = 4, .rows = 8, .columns = 2},
      {.in = {7, 3, 3}, .out = 3, .rows = 7, .columns = 3},
      {.in = {4, 2, 2},
       .out = 2,
       .window = {.before = {1, 0}, .after = {0, 1}},
       .rows = 4,
       .columns = 2},
      {.in = {5, 2, 2}, .out = 1, .window = {.before = {1, 1}}, .rows = 5, .columns = 1},
      // Of all a clock, of one; more sets than LUTs hold the weights of.
      {.in = {256, 1, 1}, .out = 2, .rows = 256, .columns = 1},
      {.in = {1, 1, 1}, .out = 1, .rows = 1, .columns = 1},
      {.in = {16, 5, 4}, .out = 8, .window = window, .rows = 2, .columns = 1},
      // A line of the kernel at once, all of it.
      {.in = {2, 4, 4}, .out = 2, .window = window, .rows = 6, .columns = 2, .positions = 3},
      {.in = {3, 4, 5}, .out = 3, .window = window, .rows = 27, .columns = 2, .positions = 9},
      // What is around the map is a sign.
      {.in = {4, 3, 3}, .out = 2, .window = padded, .zero_point = 1, .rows = 4, .columns = 1},
      {.in = {3, 3, 3}, .out = 2, .window = padded, .zero_point = -1, .rows = 3, .columns = 1},
  };
  for (Case& c : all) c = of_signs(c);
  return all;
}

std::vector<Case> numbers() {
  std::vector<Case> all;
  int turn = 0;
  for (const arith::Format& format :
       {arith::Format{2, false}, {2, true}, {4, false}, {8, true}, {8, false}, {1, false}})
    for (const int weight_bits : {2, 3, 4, 8, 0}) {
      ++turn;
      Case c{.in = {4, 4, 3},
             .out = 1 + turn % 3,
             .window = {.kernel = {1 + turn % 3, 1 + turn % 2}},
             .numbers = format,
             .weight_bits = std::max(weight_bits, 2),
             .weights_are_signs = weight_bits == 0,
             .rows = turn % 4 == 3   ? 2
                     : turn % 4 == 2 ? 1
                                     : 4,
             .columns = 1 + turn % 2};
      if (turn % 2 == 0) c.window.before = c.window.after = {1, 0};
      c.zero_point = static_cast<int>(turn % 3 == 0 ? format.range().hi : format.range().lo);
      all.push_back(c);
    }
  // Weights of any size, numbers that are signs; weights of -128; all of them 0.
  for (const int weight_bits : {2, 3, 8})
    for (const std::int64_t rows : {1, 3}) {
      Case c{.in = {3, 3, 4},
             .out = 2,
             .numbers = sign,
             .weight_bits = weight_bits,
             .numbers_are_signs = true,
             .rows = rows};
      c.window = {.kernel = {2, 2}, .before = {static_cast<int>(rows) / 2, 0}};
      all.push_back(c);
    }
  all.push_back({.in = {4, 2, 2}, .out = 2, .weight_bits = 0, .rows = 2, .columns = 2});
  all.push_back({.in = {2, 4, 4},
                 .out = 2,
                 .window = {.kernel = {3, 2}, .stride = {1, 2}, .before = {1, 1}},
                 .numbers = {2, false},
                 .zero_point = 1,
                 .weight_bits = 2,
                 .rows = 12,
                 .positions = 6});
  return all;
}

TEST(PipelineTrees, TheModelSumsAsTheGraphDoes) {
  for (const Case& c : test::this_time(signs(), 2)) expect_sums(c, machine_of(c), false);
  for (const Case& c : test::this_time(numbers(), 6)) expect_sums(c, machine_of(c), false);
}

TEST(PipelineTrees, TheNetlistSumsAsTheGraphDoes) {
  for (const Case& c : test::this_time(signs(), 2)) expect_sums(c, machine_of(c), true, 2);
  for (const Case& c : test::this_time(numbers(), 6)) expect_sums(c, machine_of(c), true, 2);
}

TEST(PipelineTrees, NoSlice) {
  for (const Case& c : test::this_time(signs(), 3)) EXPECT_EQ(in_trees(c).slices(), 0);
}

TEST(PipelineTrees, StallsAndResets) {
  Machines all;
  for (const Case& c : test::this_time(signs(), 2)) all.push_back(machine_of(c));
  for (const Case& c : test::this_time(numbers(), 6)) all.push_back(machine_of(c));
  test::MachineRig(all).run_native(1200);
}

TEST(PipelineTrees, FramesFollowAsPlanned) {
  for (const Case& c : test::this_time(signs(), 3)) {
    const auto made = machine_of(c);
    const std::vector<Numbers> images(7, image_of(c, 1));
    EXPECT_EQ(test::FrameRig(made).netlist({images}).interval(), made->interval()) << name(c);
  }
}

TEST(PipelineTrees, FewLevels) {
  auto all = test::this_time(signs(), 3);
  for (const Case& c : test::this_time(numbers(), 6)) all.push_back(c);
  for (const Case& c : all) {
    const auto made = machine_of(c);
    test::MachineRig rig({made});
    test::expect_levels(rig.design(), made->levels(), name(c));
  }
}

TEST(PipelineTrees, FoldingsAreWhatTheirPlansAre) {
  const Graph g =
      graph_of({.in = {12, 6, 6}, .out = 10, .window = {.kernel = {3, 3}}, .weight_bits = 2});
  const auto all = foldings_of(g, g.nodes[0], trees());
  std::set<std::int64_t> rows;
  for (const ConvolutionFolding& f : all) rows.insert(f.fold.rows);
  // Of one position, of three, of nine.
  EXPECT_EQ(rows, (std::set<std::int64_t>{1, 2, 3, 4, 6, 12, 18, 36, 108}));
  for (std::size_t i = 0; i < all.size(); i += 4) {
    const ConvolutionFolding& f = all[i];
    const ConvolutionPlan p = convolution(g, g.nodes[0], f.fold, trees());
    const std::int64_t total = p.matrix.words > 1 ? p.matrix.tree().sum_bits : 0;
    // Products of 8 by 2 bits.
    EXPECT_EQ(f.tree_bits, f.fold.columns * (f.fold.rows * 16 + total) + f.fold.rows * 8);
    EXPECT_EQ(f.slices, 0);
    EXPECT_EQ(p.output().lanes, f.lanes);
    EXPECT_GE(p.schedule().interval(), f.interval);
    EXPECT_LE(p.schedule().interval() * 100, f.interval * 101);
  }
}

TEST(PipelineTrees, WhatIsNotPossibleSaysSo) {
  const Graph wide = graph_of({.numbers = {9, true}});
  EXPECT_EQ(why_not_in_trees(wide, wide.nodes[0]),
            "its input has 9 bits; in trees it must have at most 8");
  const Graph heavy = graph_of({.in = {40, 1, 1}, .weight_bits = 9});
  EXPECT_EQ(why_not_in_trees(heavy, heavy.nodes[0]),
            "its weights have 9 bits; in trees they must have at most 8");
  const Graph groups = graph_of({.in = {4, 1, 1}, .out = 4, .groups = 2});
  EXPECT_EQ(why_not_in_trees(groups, groups.nodes[0]), "it has 2 groups; in trees it must have 1");
  const Graph wider = graph_of({.numbers = {17, true}});
  EXPECT_EQ(why_not_in_trees(wider, wider.nodes[0]),
            "its input has 17 bits; it must have at most 16");
}

TEST(PipelineTrees, WrongCellsAreSeen) {
  test::MachineRig rig({machine_of(of_signs(
      {.in = {3, 3, 3}, .out = 3, .window = {.kernel = {2, 2}, .before = {1, 0}}, .rows = 3}))});
  rig.expect_mutants_seen(20, 600, 1000, true);
}

}  // namespace
}  // namespace kumiki::gen::pipeline::convolution_test
