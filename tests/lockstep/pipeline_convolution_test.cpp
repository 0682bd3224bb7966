// SPDX-License-Identifier: Apache-2.0
// Convolutions of graphs as machines: every window and side of padding, groups and depthwise ones,
// kernels as large as the map, padding of other numbers than 0.
#include "gen/operators/conv/convolution.h"

#include "ir/resources.h"
#include "tests/lockstep/convolutions.h"
#include "tests/support/levels.h"
#include "tests/support/machine_layer.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::convolution_test {

ConvolutionPlan plan_of(const Case& c) {
  const Graph g = graph_of(c);
  EXPECT_EQ(why_not(g, g.nodes[0]), "");
  return convolution(g, g.nodes[0], {c.rows, c.columns, c.positions, c.pixels});
}

void expect_sums(const Case& c, bool netlist, int frames = 3) {
  expect_sums(c, machine(plan_of(c)), netlist, frames);
}

// Rows and columns that divide and that do not.
std::vector<Case> windows() {
  std::vector<Case> all;
  int turn = 0;
  for (const std::array<int, 2> kernel : {std::array{1, 1}, {3, 3}, {2, 3}})
    for (const std::array<int, 2> stride : {std::array{1, 1}, {2, 1}, {1, 2}})
      for (const auto& [before, after] : {std::pair{std::array{0, 0}, std::array{0, 0}},
                                          {{1, 1}, {1, 1}},
                                          {{0, 1}, {2, 0}},
                                          {{1, 0}, {0, 1}},
                                          {{0, 0}, {0, 1}},
                                          {{2, 0}, {0, 0}}}) {
        ++turn;
        Case c{.in = {1 + turn % 5, 4 + turn % 2, 3 + turn % 3},
               .out = 1 + turn % 4,
               .window = {.kernel = kernel, .stride = stride, .before = before, .after = after},
               .numbers = {8 - turn % 3, turn % 2 == 0},
               .weight_bits = 8 - turn % 4 * 2,
               .rows = 1 + turn % 3,
               .columns = 1 + turn % 2};
        c.zero_point = turn % 2 == 0 ? -3 : 5;
        if (kernel[0] == 3 && turn % 4 == 0) c.window.dilation = {1, 1 + turn % 8 / 4};
        if (c.window.positions(0, c.in[1]) < 1 || c.window.positions(1, c.in[2]) < 1) continue;
        all.push_back(c);
      }
  return all;
}

std::vector<Case> others() {
  return {
      // Groups: whole ones, parts of one, several together; depthwise with an odd number.
      {.in = {8, 3, 4},
       .out = 8,
       .window = {.kernel = {2, 2}},
       .groups = 2,
       .rows = 2,
       .columns = 1},
      {.in = {8, 3, 3},
       .out = 12,
       .window = {.kernel = {1, 2}},
       .groups = 4,
       .rows = 4,
       .columns = 3},
      {.in = {6, 4, 3},
       .out = 6,
       .window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}},
       .groups = 6,
       .zero_point = -7,
       .rows = 1,
       .columns = 1},
      {.in = {3, 3, 3},
       .out = 3,
       .window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}},
       .groups = 3,
       .numbers = {8, false},
       .zero_point = 200,
       .rows = 2,
       .columns = 1},
      {.in = {4, 3, 3},
       .out = 8,
       .window = {.kernel = {3, 3}},
       .groups = 4,
       .rows = 1,
       .columns = 1},
      // Dense layers: of a vector, of a map.
      {.in = {17, 1, 1},
       .out = 10,
       .numbers = {4, false},
       .zero_point = 3,
       .rows = 4,
       .columns = 2},
      {.in = {5, 3, 4},
       .out = 7,
       .window = {.kernel = {3, 4}},
       .zero_point = 4,
       .rows = 3,
       .columns = 2},
      {.in = {1, 6, 6}, .out = 3, .window = {.kernel = {6, 6}}, .rows = 1, .columns = 1},
      // Weights of 24 bits a row in block memories, three rows in two of them.
      {.in = {9, 1, 2},
       .out = 132,
       .numbers = {4, false},
       .weight_bits = 4,
       .rows = 3,
       .columns = 2},
      // One of everything; wide numbers; binary and zero weights.
      {},
      {.in = {2, 3, 3},
       .out = 2,
       .window = {.kernel = {2, 2}, .before = {1, 0}},
       .numbers = {16, true},
       .zero_point = 300,
       .rows = 2,
       .columns = 1},
      {.in = {4, 3, 3}, .out = 5, .numbers = {2, false}, .weight_bits = 2, .rows = 2, .columns = 1},
      {.in = {4, 2, 3}, .out = 3, .numbers = {1, false}, .weight_bits = 1, .rows = 4, .columns = 1},
      {.in = {2, 2, 3}, .out = 3, .zero_point = 9, .weight_bits = 0, .rows = 1, .columns = 1},
  };
}

// A line of the kernel at once, or all of it.
std::vector<Case> positions() {
  std::vector<Case> all;
  for (const Case& c : windows()) {
    const auto& kernel = c.window.kernel;
    for (const std::int64_t positions : {kernel[1], kernel[0] * kernel[1]}) {
      if (positions == 1) continue;
      Case several = c;
      several.positions = positions;
      several.rows = positions * std::min<std::int64_t>(c.rows, c.in[0]);
      all.push_back(several);
    }
  }
  return all;
}

// Two pixels at once, of maps of an even width.
std::vector<Case> pairs() {
  std::vector<Case> all;
  int turn = 0;
  for (const std::array<int, 2> kernel : {std::array{1, 1}, {3, 3}, {2, 3}})
    for (const std::array<int, 2> stride : {std::array{1, 1}, {2, 1}, {1, 2}})
      for (const int border : {0, 1, 2}) {
        ++turn;
        Case c{.in = {1 + turn % 7, 4 + turn % 2, 5 + turn % 4},
               .out = 12 + turn % 2 * 12,
               .window = {.kernel = kernel,
                          .stride = stride,
                          .before = {border / 2, border},
                          .after = {border, border / 2}},
               .numbers = {4 - turn % 3, turn % 2 == 0},
               .zero_point = turn % 2,
               .weight_bits = 4 - turn % 2,
               .rows = 1 + turn % 4,
               .columns = 1 + turn % 2,
               .pixels = 2};
        if (c.window.positions(1, c.in[2]) % 2 != 0) ++c.in[2];
        if (c.window.positions(0, c.in[1]) < 1 || c.window.positions(1, c.in[2]) < 2) continue;
        if (c.window.positions(1, c.in[2]) % 2 == 0 && c.out % plan_of(c).lanes() == 0)
          all.push_back(c);
      }
  return all;
}

TEST(PipelineConvolution, PairsOfPixels) {
  std::size_t packed = 0;
  for (const Case& c : pairs()) {
    const ConvolutionPlan plan = plan_of(c);
    ASSERT_EQ(plan.matrix.pixels, 2) << name(c);
    packed += plan.matrix.column_channels > 1 ? 1 : 0;
    expect_sums(c, machine(plan), false);
  }
  EXPECT_GT(packed, 10u);
}

TEST(PipelineConvolution, TheModelSumsAsTheGraphDoes) {
  for (const auto& cases : {windows(), others(), positions()})
    for (const Case& c : test::this_time(cases, 3)) expect_sums(c, false);
}

TEST(PipelineConvolution, TheNetlistSumsAsTheGraphDoes) {
  auto all = others();
  const auto more = windows();
  for (std::size_t i = 0; i < more.size(); i += 6) all.push_back(more[i]);
  for (const Case& c : test::this_time(positions(), 8)) all.push_back(c);
  for (const Case& c : test::this_time(pairs(), 3)) all.push_back(c);
  for (const Case& c : all) expect_sums(c, true, 2);
}

TEST(PipelineConvolution, StallsAndResets) {
  Machines all;
  for (const Case& c : test::this_time(windows(), 6)) all.push_back(machine(plan_of(c)));
  for (const Case& c : test::this_time(others(), 2)) all.push_back(machine(plan_of(c)));
  for (const Case& c : test::this_time(positions(), 12)) all.push_back(machine(plan_of(c)));
  for (const Case& c : test::this_time(pairs(), 6)) all.push_back(machine(plan_of(c)));
  test::MachineRig(all).run_native(1200);
}

TEST(PipelineConvolution, FramesFollowAsPlanned) {
  auto all = others();
  for (const Case& c : test::this_time(windows(), 4)) all.push_back(c);
  for (const Case& c : test::this_time(positions(), 8)) all.push_back(c);
  for (const Case& c : test::this_time(pairs(), 3)) all.push_back(c);
  int turn = 0;
  for (const Case& c : all) {
    const auto made = machine(plan_of(c));
    const std::vector<Numbers> images(7, image_of(c, 1));
    test::FrameRig rig(made);
    const auto run = turn++ % 5 == 0 ? rig.netlist({images}) : rig.model({images});
    EXPECT_EQ(run.interval(), made->interval()) << name(c);
  }
}

TEST(PipelineConvolution, FewLevels) {
  for (const auto& cases : {windows(), others(), positions(), pairs()})
    for (std::size_t i = 0; i < cases.size(); i += 4) {
      const auto made = machine(plan_of(cases[i]));
      test::MachineRig rig({made});
      test::expect_levels(rig.design(), made->levels(), name(cases[i]));
    }
}

TEST(PipelineConvolution, RowsOf24BitsFillBlocks) {
  const ConvolutionPlan plan = plan_of({.in = {9, 1, 2},
                                        .out = 132,
                                        .numbers = {4, false},
                                        .weight_bits = 4,
                                        .rows = 3,
                                        .columns = 2});
  ASSERT_EQ(plan.matrix.tile_channels() * plan.matrix.weights.bits, 24);
  ASSERT_GT(plan.matrix.weight_depth(), 64);
  ASSERT_LE(plan.matrix.ring_bits, 6);
  Builder builder;
  builder.design().set_top(machine(plan)->build_alone(builder, {}).id());
  EXPECT_EQ(ir::count_resources(builder.design()).total.brams_18k, 2u);
}

TEST(PipelineConvolution, FoldingsAreWhatTheirPlansAre) {
  const std::vector<Case> cases = {
      {.in = {12, 6, 6},
       .out = 10,
       .window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}}},
      {.in = {6, 4, 4}, .out = 6, .window = {.kernel = {3, 3}}, .groups = 6},
      {.in = {30, 1, 1}, .out = 10},
      {.in = {20, 4, 6}, .out = 12, .numbers = {4, false}, .weight_bits = 4}};
  for (const Case& c : cases) {
    const Graph g = graph_of(c);
    const auto all = foldings_of(g, g.nodes[0]);
    EXPECT_GT(all.size(), 5u);
    const auto with = [&](std::int64_t positions) {
      auto some = all;
      std::erase_if(some, [&](const auto& f) { return f.fold.positions != positions; });
      return some;
    };
    for (const ConvolutionFolding& one : with(1))
      for (const std::int64_t positions : {3, 9})
        for (const ConvolutionFolding& more : with(positions))
          EXPECT_LT(more.interval, one.interval);
    EXPECT_EQ(with(1).size() < all.size(), c.window.kernel[0] > 1 && c.groups == 1);
    const auto are_pairs = [](const ConvolutionFolding& f) { return f.fold.pixels == 2; };
    EXPECT_EQ(std::ranges::any_of(all, are_pairs), c.weight_bits == 4);
    for (std::size_t i = 0; i < all.size(); i += 5) {
      const ConvolutionFolding& f = all[i];
      const ConvolutionPlan p = convolution(g, g.nodes[0], f.fold);
      EXPECT_EQ(p.lanes(), f.lanes);
      EXPECT_EQ(p.output().lanes, f.fold.pixels * f.lanes);
      EXPECT_EQ(p.slices(), f.slices);
      EXPECT_GE(p.schedule().interval(), f.interval);
      EXPECT_LE(p.schedule().interval() * 100, f.interval * 101);
    }
  }
}

TEST(PipelineConvolution, WhatIsNotPossibleSaysSo) {
  const Graph wide = graph_of({.numbers = {17, true}});
  EXPECT_EQ(why_not(wide, wide.nodes[0]), "its input has 17 bits; it must have at most 16");
  const Graph large = graph_of({.in = {257, 16, 16}, .window = {.kernel = {16, 16}}});
  EXPECT_EQ(why_not(large, large.nodes[0]),
            "its sums have 65792 products; they must have at most 65536");
}

TEST(PipelineConvolution, WrongCellsAreSeen) {
  test::MachineRig rig(
      {machine(plan_of({.in = {3, 3, 3},
                        .out = 3,
                        .window = {.kernel = {2, 2}, .before = {1, 0}, .after = {0, 1}},
                        .zero_point = -3,
                        .rows = 2}))});
  rig.expect_mutants_seen(20, 600, 1000, true);
}

}  // namespace kumiki::gen::pipeline::convolution_test
