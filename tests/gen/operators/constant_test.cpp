// SPDX-License-Identifier: Apache-2.0
// Numbers that are the same for every image.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/graph.h"
#include "gen/graph/picture.h"
#include "tests/gen/operators/small_graphs.h"

namespace kumiki::gen::graph::constant_test {
namespace {

using test::is_kept;
using test::result;
using test::wrong;
using testing::ElementsAre;
using testing::StartsWith;

// A constant of these values.
std::string constant(const std::string& values, const std::string& of = "s8 2x2") {
  return fmt::format(
      "graph g\ntensor x s8 2 scale 0x1p+0 zero 0\ntensor k {} scale 0x1p-1 zero 0\ninput x\n"
      "output k\nconstant k -> k\n  values {}\n",
      of, values);
}

TEST(Constant, MayBeTheOnlyNode) {
  const std::string text = constant("1 -2 3 127");
  EXPECT_TRUE(is_kept(text));
  EXPECT_THAT(result(text, {5, 6, 7, 8}), ElementsAre(1, -2, 3, 127, 1, -2, 3, 127));
  const Graph g = parse_graph("g", text);
  EXPECT_EQ(reached_numbers(g)[1], (arith::Interval{-2, 127}));
  EXPECT_THAT(network_text(g), testing::HasSubstr("k: constant"));
}

TEST(Constant, NodesOfTwoReadItAsAnyOther) {
  const std::string begin =
      "graph g\ntensor x s8 2 scale 0x1p+0 zero 0\ntensor k s8 2x1x2 scale 0x1p-1 zero 0\n"
      "tensor l s8 2x1x2 scale 0x1p-1 zero 1\ntensor y s8 2x1x2 scale 0x1p-1 zero 0\ninput x\n"
      "output y\nconstant k -> k\n  values 1 3 2 4\nconstant l -> l\n  values 11 0 1 5\n";
  EXPECT_THAT(result(begin + "add y k l -> y\n", {0, 0}), ElementsAre(11, 2, 2, 8));
  // (1, 2) and (3, 4) times (10, 0) and (-1, 4), over 2.
  EXPECT_THAT(result(begin + "matmul y k l -> y\n", {0, 0}), ElementsAre(5, 15, 4, 6));
  EXPECT_THAT(result(begin + "mul y k l -> y\n", {0, 0}), ElementsAre(5, -2, 0, 8));
  EXPECT_TRUE(is_kept(begin + "add y k l -> y\n"));
}

TEST(Constant, Refusals) {
  EXPECT_EQ(wrong(constant("1 -2 3 127")), "not refused");
  EXPECT_THAT(wrong(constant("1 2 3")), StartsWith("node k has 3 values; it must have 4"));
  EXPECT_THAT(wrong(constant("1 2 3 128")),
              StartsWith("node k has the value 128; it must be within [-128, 127]"));
  EXPECT_THAT(wrong(constant("1 2 3 -1", "u8 2x2")),
              StartsWith("node k has the value -1; it must be within [0, 255]"));
  Graph g = parse_graph("g", constant("1 2 3 4"));
  g.nodes[0].inputs = {0};
  const auto found = check(g);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].where + " " + found[0].message, "node k has 1 inputs; it must have 0");
  g = parse_graph("g", constant("1 2 3 4"));
  std::get<Constant>(g.nodes[0].op).values.clear();
  EXPECT_FALSE(check(g).empty());
}

}  // namespace
}  // namespace kumiki::gen::graph::constant_test
