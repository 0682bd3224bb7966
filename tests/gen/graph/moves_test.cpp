// SPDX-License-Identifier: Apache-2.0
// Operators that move numbers: pick, and transpose with a view.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/graph/text.h"
#include "ir/error.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::graph::moves_test {
namespace {

using testing::ElementsAre;

std::vector<std::int32_t> made(const std::string& text, const std::vector<std::int32_t>& image) {
  const Graph g = parse_graph("g", text);
  EXPECT_EQ(to_text(g), text);
  return Interpreter(g).run_all(image, g.outputs[0], 1);
}

std::string refused(const std::string& text) {
  return test::refusal<DesignError>([&] { parse_graph("g", text); });
}

std::string of(const std::string& from, const std::string& to, const std::string& node) {
  return "graph g\ntensor x s8 " + from + " scale 0x1p+0 zero 0\ntensor y s8 " + to +
         " scale 0x1p+0 zero 0\ninput x\noutput y\n" + node;
}

TEST(Moves, PicksAxisByAxis) {
  // Backwards, one number twice, and the constant.
  EXPECT_THAT(
      made(of("1x2x3", "1x2x5", "pick p x -> y fill -7\n  runs 2 2 -1 3 2 -1 0 1 2 1 0 1\n"),
           {1, 2, 3, 4, 5, 6}),
      ElementsAre(3, 2, 1, -7, 2, 6, 5, 4, -7, 5));
  EXPECT_THAT(
      made(of("4x1x2", "2x1x2", "pick p x -> y\n  runs 0 1 2 2\n"), {1, 2, 3, 4, 5, 6, 7, 8}),
      ElementsAre(3, 4, 7, 8));
  // Half of the channels, seen as two halves.
  EXPECT_THAT(made(of("4x1x1", "2", "pick p x -> y view 2x2\n  runs 1 1 0 1\n"), {1, 2, 3, 4}),
              ElementsAre(2, 4));
}

TEST(Moves, TransposesAView) {
  // Two groups of three channels become three of two.
  EXPECT_THAT(
      made(of("6x1x1", "6x1x1", "transpose t x -> y order 1x0 view 2x3\n"), {1, 2, 3, 4, 5, 6}),
      ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(made(of("4x1x1", "1x2x2", "transpose t x -> y order 1x0 view 2x2\n"), {1, 2, 3, 4}),
              ElementsAre(1, 3, 2, 4));
}

TEST(Moves, RunsOfAList) {
  Pick p;
  p.add_runs(0, {0, 1, 2, -1, -1, 5, 3, 1, 4});
  EXPECT_THAT(p.runs, ElementsAre(0, 0, 1, 3, 0, -1, 0, 2, 0, 5, -2, 3, 0, 4, 0, 1));
  EXPECT_TRUE(p.fills());
}

TEST(Moves, WhatIsWrong) {
  const auto pick = [](const std::string& to, const std::string& words) {
    return refused(of("1x2x3", to, "pick p x -> y" + words));
  };
  EXPECT_EQ(pick("1x2x2", "\n  runs 2 0 2 2\n"), "not refused");
  EXPECT_THAT(pick("1x2x2", "\n  runs 2 0 2\n"),
              testing::HasSubstr("node p has 3 numbers in its runs; it must have four for each"));
  EXPECT_THAT(pick("1x2x2", "\n  runs 3 0 1 1\n"),
              testing::HasSubstr("has a run of axis 3; axes must rise and be 0 to 2"));
  EXPECT_THAT(pick("1x2x2", "\n  runs 2 0 1 1 1 0 1 1\n"),
              testing::HasSubstr("has a run of axis 1; axes must rise and be 0 to 2"));
  EXPECT_THAT(
      pick("1x2x2", "\n  runs 2 2 1 2\n"),
      testing::HasSubstr("picks the places 2 to 3 of axis 2; they must be 0 to 2, or -1 with "
                         "the step 0"));
  EXPECT_THAT(pick("1x2x2", "\n  runs 2 0 1 0\n"),
              testing::HasSubstr("has runs of axis 2 with 0 places; it must have 1 to 1048576"));
  EXPECT_THAT(pick("1x2x2", " fill 200\n  runs 2 -1 0 2\n"),
              testing::HasSubstr("fills with 200; it must be [-128, 127]"));
  EXPECT_THAT(pick("1x2x2", "\n  runs 2 0 1 3\n"),
              testing::HasSubstr("makes 1x2x3, but y is 1x2x2"));
  EXPECT_THAT(pick("1x2x2", " view 4\n"),
              testing::HasSubstr("has the view 4; it must have the 6 numbers of x"));
  EXPECT_THAT(pick("1x2x2", " view 6\n  runs 0 0 1 3\n"),
              testing::HasSubstr("makes 4 numbers of 3; it must make as many as it reads"));
}

// What a table behind it has to hold.
TEST(Moves, TheConstantIsReached) {
  Graph g =
      parse_graph("g", of("1x2x3", "1x2x5", "pick p x -> y fill 90\n  runs 2 0 1 3 2 -1 0 2\n"));
  EXPECT_EQ(reached_by(g, g.nodes[0], {{0, 3}, {-128, 127}}), (arith::Interval{0, 90}));
  std::get<Pick>(g.nodes[0].op).runs = {2, 0, 0, 5};
  EXPECT_EQ(reached_by(g, g.nodes[0], {{0, 3}, {-128, 127}}), (arith::Interval{0, 3}));
}

}  // namespace
}  // namespace kumiki::gen::graph::moves_test
