// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/requantise.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "gen/graph/text.h"
#include "tests/support/seed.h"

namespace kumiki::gen::graph::requantise_test {
namespace {

Graph one(float scale, const std::string& weights, int bias, const std::string& format = "s8",
          int zero = 0) {
  const auto terms = 1 + std::ranges::count(weights, ' ');
  return parse_graph("g", "graph g\ntensor x s8 " + std::to_string(terms) + "x1x1\ntensor y " +
                              format + " 1x1x1 zero " + std::to_string(zero) +
                              "\ninput x\noutput y\nconv c x -> y\n" + "  scales " +
                              std::to_string(scale) + "\n  bias " + std::to_string(bias) +
                              "\n  weights " + weights + "\n");
}

TEST(Requantise, APowerOfTwoIsAShift) {
  const Graph g = one(0.0625F, "3 -5 100", 17);
  const auto all = requantisers(g, g.nodes[0]);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].form, Form::shift);
  EXPECT_EQ(all[0].rule.shift, 4);
  // 17 + 127 * 3 + 128 * 5 + 127 * 100
  EXPECT_EQ(all[0].sums, (arith::Interval{17 - 384 - 635 - 12800, 17 + 381 + 640 + 12700}));
  EXPECT_EQ(all[0].sum_bits(), 15);
  EXPECT_EQ(summary(all),
            "1 channel, sums of up to 15 bits; 1 shifted: equal to onnxruntime for every "
            "reachable sum");
}

// Sums of 32 bits that stay what they are need no search for 2^24 steps.
TEST(Requantise, SumsAsTheyAreAreWires) {
  Graph g = one(1, "3 -5 100", 17, "s32");
  const auto all = requantisers(g, g.nodes[0]);
  EXPECT_EQ(all[0].form, Form::shift);
  for (const auto at : {all[0].sums.lo, all[0].sums.hi, arith::Exact{-7}})
    EXPECT_EQ(requantised(all[0].rule, static_cast<std::int64_t>(at)), at);
}

// Where sums reach little, few bits of a factor are enough.
TEST(Requantise, AFactorIsAsShortAsItsSumsAllow) {
  const Graph narrow = one(0.29717F, "1", 0), wide = one(0.0031337F, "127 127 127 127", 0);
  const auto a = requantisers(narrow, narrow.nodes[0]), b = requantisers(wide, wide.nodes[0]);
  EXPECT_EQ(a[0].form, Form::factor);
  EXPECT_EQ(b[0].form, Form::factor);
  EXPECT_LT(a[0].factor_bits(), b[0].factor_bits());
  EXPECT_LE(b[0].factor_bits(), 26);
}

// Behind thresholds or a table there are fewer numbers than the format has; padding is its zero
// point.
TEST(Requantise, SumsAreThoseThatAreReached) {
  const auto graph = [](const std::string& before, const std::string& pads) {
    return parse_graph(
        "g",
        "graph g\ntensor x s4 1x2x2\ntensor m s8 1x2x2 zero 4\ntensor n s8 1x2x2 zero 4\n"
        "tensor y s8 1x" +
            std::string(pads.empty() ? "2x2" : "3x2") + "\ninput x\noutput y\n" + before +
            "reshape r m -> n\nconv c n -> y" + pads +
            "\n  scales 0x1p-1\n  bias 0\n"
            "  weights 2\n");
  };
  const auto sums = [](const Graph& g) { return reachable_of(g, g.nodes[2])[0]; };
  const std::string steps = "thresholds t x -> m lowest 3 levels 2\n  begins -1 4\n",
                    table = "lookup l x -> m\n  values 5 5 5 5 5 5 5 5 7 6 5 5 5 5 -3 5\n";
  EXPECT_EQ(sums(graph(steps, "")), (arith::Interval{-2, 2}));
  EXPECT_EQ(sums(graph(table, "")), (arith::Interval{2 * (-3 - 4), 2 * (7 - 4)}));
  EXPECT_EQ(sums(graph(steps, " before 1x0")), (arith::Interval{-2, 2}));
}

// In float32 0.3 * 5 is 1.5 and 0.3 * 15 is 4.5: one tie goes up and the other one down, which no
// factor does.
TEST(Requantise, TiesOfADecimalScaleNeedTheRoundedProduct) {
  const Graph g = one(0.3F, "1", 0);
  EXPECT_EQ(requantisers(g, g.nodes[0])[0].form, Form::product);
  const auto rule = rules_of(g, g.nodes[0])[0];
  EXPECT_EQ(arith::requantised(rule, 5), 2);
  EXPECT_EQ(arith::requantised(rule, 15), 4);
}

TEST(Requantise, WhereNoFactorIsEqualTheProductIsRounded) {
  // A scale of a full mantissa and sums of many bits.
  Graph g = one(0.001F, "32767 32767 32767 32767", 0);
  std::get<Conv>(g.nodes[0].op).scales = {0x1.fffffep-17F};
  const auto all = requantisers(g, g.nodes[0], 8);
  ASSERT_EQ(all[0].form, Form::product);
  EXPECT_EQ(all[0].factor_bits(), 24);
  EXPECT_EQ(summary(all),
            "1 channel, sums of up to 25 bits; 1 with products rounded to 24 bits: equal to "
            "onnxruntime for every reachable sum");
}

// Every integer form against the float32 of the processor: near every result's beginning, at the
// ends, and at random.
TEST(Requantise, EveryFormIsEqualToFloat) {
  std::mt19937_64 random(test::rotating_seed());
  std::size_t forms[3] = {};
  for (int n = 0; n < 120; ++n) {
    Graph g = one(1, "90 -120 7 33", n * 1000);
    const float scale = std::ldexp(1 + std::ldexp(static_cast<float>(random() % (1 << 23)), -23),
                                   -static_cast<int>(random() % 24));
    auto& conv = std::get<Conv>(g.nodes[0].op);
    conv.scales = {n % 10 == 0 ? std::ldexp(1.0F, -n / 10) : scale};
    if (n % 3 == 1)
      for (auto& w : conv.weights) w = static_cast<std::int16_t>(w * 250);
    g.tensors[1].zero_point = static_cast<int>(random() % 256) - 128;
    const auto plan = requantisers(g, g.nodes[0], n % 2 == 0 ? 26 : 12)[0];
    const auto rule = rules_of(g, g.nodes[0])[0];
    ++forms[static_cast<std::size_t>(plan.form)];
    const auto lo = static_cast<std::int64_t>(plan.sums.lo),
               hi = static_cast<std::int64_t>(plan.sums.hi);
    std::vector<std::int64_t> sums{lo, hi};
    for (const auto at : steps_of(rule, plan.sums).begins)
      for (const std::int64_t d : {-1, 0, 1}) sums.push_back(std::clamp(at + d, lo, hi));
    for (int k = 0; k < 200; ++k)
      sums.push_back(std::uniform_int_distribution<std::int64_t>(lo, hi)(random));
    for (const auto sum : sums) {
      const auto s = static_cast<std::int32_t>(sum);
      if (plan.form != Form::product) {
        ASSERT_EQ(arith::requantised(plan.rule, s), arith::requantised(rule, s))
            << sum << " of scale " << rule.scale << ", " << to_string(plan);
      }
    }
  }
  for (const auto count : forms) EXPECT_GT(count, 3u);
}

}  // namespace
}  // namespace kumiki::gen::graph::requantise_test
