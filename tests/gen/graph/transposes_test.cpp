// SPDX-License-Identifier: Apache-2.0
// Transposes around nodes that do not look at axes.
#include "gen/graph/transposes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "gen/graph/interpret.h"
#include "gen/graph/text.h"
#include "tests/support/seed.h"

namespace kumiki::gen::graph::transposes_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> operators(const Graph& g) {
  std::vector<std::string> all;
  for (const Node& n : g.nodes) all.emplace_back(name_of(n.op));
  return all;
}

TEST(Transposes, HaveOneSimplestForm) {
  const auto form = [](std::vector<int> order, Shape view) {
    return simplest({.order = std::move(order), .view = std::move(view)}, {});
  };
  // [1, 16, 48] to [1, 48, 16], [16, 1, 48] to [48, 1, 16].
  const Transpose turned{.order = {1, 0}, .view = {16, 48}};
  EXPECT_EQ(form({0, 2, 1}, {1, 16, 48}), turned);
  EXPECT_EQ(form({2, 1, 0}, {16, 1, 48}), turned);
  EXPECT_EQ(form({1, 2, 0}, {16, 6, 8}), turned);  // 6 and 8 stay together
  EXPECT_EQ(simplest({.order = {1, 0}}, {16, 48}), turned);
  EXPECT_EQ(inverse(turned), (Transpose{.order = {1, 0}, .view = {48, 16}}));
  EXPECT_EQ(form({1, 3, 0, 2}, {2, 3, 4, 5}),
            (Transpose{.order = {1, 3, 0, 2}, .view = {2, 3, 4, 5}}));
  EXPECT_EQ(inverse(form({2, 0, 1, 3}, {2, 3, 4, 5})),
            (Transpose{.order = {1, 0, 2}, .view = {4, 6, 5}}));
  // The numbers stay in order.
  EXPECT_THAT(form({1, 0, 2}, {1, 3, 4}).order, ElementsAre(0));
  EXPECT_THAT(form({1, 0}, {1, 1}).order, IsEmpty());
}

// Tensors of 3 tokens with 4 channels, "t", or of such a map, "m".
std::string tensors(const std::vector<std::string>& names) {
  std::string text = "graph g\n";
  for (const std::string& name : names)
    text += fmt::format("tensor {} s8 {} scale 0x1p+0 zero 0\n", name,
                        name[0] == 'm' ? "4x1x3" : "3x4");
  return text;
}
const std::string table = [] {
  std::string text;
  for (int i = 0; i < 256; ++i)
    text += fmt::format("{}{}", i % 16 == 0 ? "\n  values " : " ", (i * 5 + 3) % 256 - 128);
  return text + "\n";
}();
std::string to_map(const std::string& from, const std::string& to) {
  return fmt::format("transpose {} {} -> {} order 1x0 view 3x4\n", to, from, to);
}
std::string to_tokens(const std::string& from, const std::string& to) {
  return fmt::format("transpose {} {} -> {} order 1x0 view 4x3\n", to, from, to);
}
// A node that looks at axes.
std::string pooled(const std::string& from, const std::string& to) {
  return fmt::format("max_pool {} {} -> {} kernel 1x3 before 0x1 after 0x1\n", to, from, to);
}

// The same results from fewer nodes.
Graph simplified(const std::string& text, EndTransposes at_ends = EndTransposes::count,
                 bool puts_last = false) {
  const Graph before = parse_graph("g", text);
  Graph g = before;
  if (puts_last) put_transposes_last(g);
  simplify_transposes(g, at_ends);
  std::mt19937_64 random(test::rotating_seed());
  std::vector<std::int32_t> image(numbers_of_image(g));
  for (auto& n : image) n = static_cast<std::int32_t>(random() % 256) - 128;
  // Without the tensors that nobody uses any more: their names are there twice.
  std::vector<bool> is_used(g.tensors.size());
  for (const TensorId id : all_inputs(g)) is_used[id] = true;
  for (const Node& n : g.nodes) is_used[n.output] = true;
  for (TensorId id = 0; id < g.tensors.size(); ++id)
    if (!is_used[id]) g.tensors[id].name = fmt::format("unused {}", id);
  EXPECT_TRUE(check(g).empty()) << to_text(g);
  for (const TensorId id : g.outputs)
    EXPECT_EQ(Interpreter(g).run_all(image, id, 1), Interpreter(before).run_all(image, id, 1))
        << to_text(g);
  return g;
}

TEST(Transposes, ThatAreInverseCancel) {
  EXPECT_THAT(
      operators(simplified(tensors({"mx", "m1", "t1", "m2", "my"}) + "input mx\noutput my\n" +
                           pooled("mx", "m1") + to_tokens("m1", "t1") + to_map("t1", "m2") +
                           pooled("m2", "my"))),
      ElementsAre("max_pool", "max_pool"));
  // The tokens leave, too: one of the two remains.
  EXPECT_THAT(
      operators(simplified(tensors({"mx", "m1", "t1", "m2", "my"}) +
                           "input mx\noutput my\noutput t1\n" + pooled("mx", "m1") +
                           to_tokens("m1", "t1") + to_map("t1", "m2") + pooled("m2", "my"))),
      ElementsAre("max_pool", "transpose", "max_pool"));
}

TEST(Transposes, CancelAroundTablesAndSums) {
  // The second number of the sum is the table's argument.
  const Graph g =
      simplified(tensors({"mx", "m1", "t1", "t2", "t3", "m2", "my"}) + "input mx\noutput my\n" +
                 pooled("mx", "m1") + to_tokens("m1", "t1") + "lookup t2 t1 -> t2" + table +
                 "add t3 t2 t1 -> t3\n" + to_map("t3", "m2") + pooled("m2", "my"));
  EXPECT_THAT(operators(g), ElementsAre("max_pool", "lookup", "add", "max_pool"));
  EXPECT_EQ(g.tensors[g.nodes[1].output].shape, (Shape{4, 1, 3}));
}

// A token of its own before the others, and later the same one again, as vision transformers have
// it. Some readers remain that want the tokens as rows.
TEST(Transposes, MoveBehindConcatsAndPicks) {
  const std::string joined =
      tensors({"mx", "m1", "t1"}) +
      "tensor c s8 1x4 scale 0x1p+0 zero 0\ntensor all s8 4x4 scale 0x1p+0 zero 0\n"
      "tensor m2 s8 4x1x4 scale 0x1p+0 zero 0\ntensor m3 s8 4x1x4 scale 0x1p+0 zero 0\n"
      "tensor rows s8 4x4 scale 0x1p+0 zero 0\ntensor y s8 1x4 scale 0x1p+0 zero 0\n"
      "tensor z s8 2x4 scale 0x1p+0 zero 0\ninput mx\noutput y\n";
  const std::string nodes = pooled("mx", "m1") + to_tokens("m1", "t1") +
                            "constant c -> c\n  values 5 -6 7 -8\nconcat all c t1 -> all\n"
                            "transpose m2 all -> m2 order 1x0 view 4x4\n" +
                            pooled("m2", "m3") + "transpose rows m3 -> rows order 1x0 view 4x4\n";
  const std::string first = "pick y rows -> y\n  runs 0 0 0 1\n",
                    others = "pick z rows -> z fill 3\n  runs 0 3 0 1 0 -1 0 1\n";
  EXPECT_THAT(operators(simplified(joined + nodes + first, EndTransposes::count, true)),
              ElementsAre("max_pool", "constant", "reshape", "concat", "reshape", "max_pool",
                          "pick", "reshape"));
  const Graph both =
      simplified(joined + "output z\n" + nodes + first + others, EndTransposes::count, true);
  EXPECT_EQ(std::ranges::count(operators(both), "transpose"), 1);
  EXPECT_EQ(name_of(both.nodes.back().op), "transpose");
  EXPECT_EQ(std::ranges::count(operators(simplified(joined + nodes + first, EndTransposes::count)),
                               "transpose"),
            3);
}

TEST(Transposes, OfOneTensorAreOne) {
  EXPECT_THAT(operators(simplified(tensors({"tx", "m1", "m2", "my", "mz"}) +
                                   "input tx\noutput my\noutput mz\n" + to_map("tx", "m1") +
                                   to_map("tx", "m2") + pooled("m1", "my") + pooled("m2", "mz"))),
              ElementsAre("transpose", "max_pool", "max_pool"));
}

// x + f(x) as residual blocks have it: as many transposes, but those at the ends are free.
TEST(Transposes, MoveToTheEndsOfAGraphWhereTheyHardlyCount) {
  const std::string text = tensors({"tx", "tr", "m1", "m2", "t2", "ty"}) +
                           "input tx\ninput tr\noutput ty\n" + to_map("tx", "m1") +
                           pooled("m1", "m2") + to_tokens("m2", "t2") + "add ty tr t2 -> ty\n";
  EXPECT_THAT(operators(simplified(text)),
              ElementsAre("transpose", "max_pool", "transpose", "add"));
  const Graph g = simplified(text, EndTransposes::hardly_count);
  EXPECT_THAT(operators(g), ElementsAre("transpose", "transpose", "max_pool", "add", "transpose"));
  EXPECT_EQ(g.nodes.back().output, g.outputs[0]);
}

TEST(Transposes, StayBeforeWhatLooksAtAxes) {
  // Thresholds of their own for each channel, and a table with one for each.
  std::string steps = "thresholds t2 t1 -> t2 lowest 0 levels 1\n  begins -3 5 9\n";
  const auto of = [&](const std::string& node) {
    return operators(simplified(tensors({"mx", "m1", "t1", "t2", "m2"}) + "input mx\noutput m2\n" +
                                pooled("mx", "m1") + to_tokens("m1", "t1") + node +
                                to_map("t2", "m2")));
  };
  EXPECT_THAT(of(steps), ElementsAre("max_pool", "transpose", "thresholds", "transpose"));
  steps = "thresholds t2 t1 -> t2 lowest 0 levels 3\n  begins -3 5 9\n";
  EXPECT_THAT(of(steps), ElementsAre("max_pool", "thresholds"));
  EXPECT_THAT(of("lookup t2 t1 -> t2" + table), ElementsAre("max_pool", "lookup"));
  EXPECT_THAT(of("lookup t2 t1 -> t2" + table + table.substr(1) + table.substr(1)),
              ElementsAre("max_pool", "transpose", "lookup", "transpose"));
}

// A constant is written in the other order, whatever else reads it.
TEST(Transposes, TurnConstants) {
  const std::string begin = tensors({"mx", "m1", "t1", "tk", "t2", "m2", "my"}) +
                            "input mx\noutput my\n" + pooled("mx", "m1") + to_tokens("m1", "t1") +
                            "constant tk -> tk\n  values 1 2 3 4 5 6 7 8 9 10 11 12\n";
  const Graph g =
      simplified(begin + "add t2 t1 tk -> t2\n" + to_map("t2", "m2") + pooled("m2", "my"));
  EXPECT_THAT(operators(g), ElementsAre("max_pool", "constant", "add", "max_pool"));
  EXPECT_EQ(g.tensors[g.nodes[1].output].shape, (Shape{4, 1, 3}));
  EXPECT_THAT(std::get<Constant>(g.nodes[1].op).values,
              ElementsAre(1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12));
  // It leaves the graph as well.
  std::string leaves = begin;
  leaves.replace(leaves.find("output my\n"), 10, "output my\noutput tk\n");
  const Graph two =
      simplified(leaves + "add t2 t1 tk -> t2\n" + to_map("t2", "m2") + pooled("m2", "my"));
  EXPECT_EQ(std::ranges::count(operators(two), "constant"), 2);
  EXPECT_EQ(std::ranges::count(operators(two), "transpose"), 0);
  // Between constants alone.
  const Graph alone = simplified(tensors({"mx", "tk", "t2", "my"}) + "input mx\noutput my\n" +
                                 "constant tk -> tk\n  values 1 2 3 4 5 6 7 8 9 10 11 12\n" +
                                 "add t2 tk tk -> t2\n" + to_map("t2", "my"));
  EXPECT_EQ(operators(alone).front(), "constant");
}

}  // namespace
}  // namespace kumiki::gen::graph::transposes_test
