// SPDX-License-Identifier: Apache-2.0
// What is said of a network, against its definition at every sum that is reached.
#include "gen/graph/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gen/graph/text.h"
#include "ir/error.h"
#include "tests/support/seed.h"

namespace kumiki::gen::graph::plan_test {
namespace {

Graph one(float scale, const std::string& format = "s8", const std::string& weights = "90 -120 7") {
  Graph g = parse_graph("g", "graph g\ntensor x s8 3x5x4\ntensor y " + format +
                                 " 1x5x4\ninput x\noutput y\nconv c x -> y\n  scales 0x1p-4\n"
                                 "  bias 17\n  weights " +
                                 weights + "\n");
  std::get<Conv>(g.nodes[0].op).scales = {scale};
  return g;
}

TEST(NetworkPlan, CountsProductsAndWeights) {
  const NetworkPlan p = plan(one(0.25F));
  ASSERT_EQ(p.nodes.size(), 1u);
  EXPECT_EQ(p.nodes[0].weights, 3u);
  EXPECT_EQ(p.nodes[0].products, 60u);  // 3 weights at 5 x 4 places
  EXPECT_EQ(p.nodes[0].op, "conv 1x1");
  // 17 + 128 * (90 + 120 + 7) and less
  EXPECT_EQ(p.nodes[0].sum_bits(), 16);
  EXPECT_EQ(to_text(p.forms()), "1 power of two");
  EXPECT_TRUE(p.is_equal());
}

// The rule of onnxruntime as the processor computes it.
std::int64_t by_float(float scale, std::int64_t sum, int bits) {
  const float most = std::ldexp(1.0F, bits - 1);
  const float scaled = static_cast<float>(sum) * scale;
  return static_cast<std::int64_t>(std::nearbyint(std::min(most - 1, std::max(-most, scaled))));
}

// Every sum of the channel is looked at: what is listed differs, and nothing else.
TEST(NetworkPlan, ListsExactlyTheSumsThatAreNotEqual) {
  std::mt19937_64 random(test::rotating_seed());
  std::size_t unequal = 0, equal = 0;
  for (int n = 0; n < 60; ++n) {
    const float scale = std::ldexp(1 + std::ldexp(static_cast<float>(random() % (1 << 23)), -23),
                                   static_cast<int>(random() % 16) - 12);
    const int bits = 1 + static_cast<int>(random() % 18),
              format = 2 + static_cast<int>(random() % 9);
    const Graph g = one(scale, "s" + std::to_string(format));
    const NetworkPlan p = plan(g, bits);
    const Requantiser& r = p.nodes[0].channels[0];
    EXPECT_NE(r.form, Form::product);
    EXPECT_LE(r.factor_bits() - (scale > 1 ? 8 : 0), bits);
    std::size_t wanted = 0;
    const auto listed = [&](std::int64_t sum) -> const arith::Apart* {
      if (p.nodes[0].unequal.empty()) return nullptr;
      for (const arith::Apart& a : p.nodes[0].unequal[0].sums)
        if (a.accumulators.contains(sum)) return &a;
      return nullptr;
    };
    for (auto sum = static_cast<std::int64_t>(r.sums.lo);
         sum <= static_cast<std::int64_t>(r.sums.hi); ++sum) {
      const std::int64_t right = by_float(scale, sum, format);
      const std::int64_t given = arith::requantised(r.rule, sum);
      if (right == given) continue;
      ++wanted;
      const arith::Apart* run = listed(sum);
      ASSERT_NE(run, nullptr) << sum;
      EXPECT_EQ(run->wanted, right);
      EXPECT_EQ(run->given, given);
    }
    const auto all = p.nodes[0].unequal.empty() ? 0 : count(p.nodes[0].unequal[0].sums);
    EXPECT_EQ(static_cast<std::size_t>(all), wanted) << scale << " in " << bits << " bits";
    EXPECT_EQ(p.is_equal(), wanted == 0);
    ++(wanted == 0 ? equal : unequal);
  }
  EXPECT_GT(unequal, 10u);
  EXPECT_GT(equal, 3u);
}

TEST(NetworkPlan, WithoutALimitEveryFormIsEqual) {
  std::mt19937_64 random(test::rotating_seed() + 1);
  for (int n = 0; n < 40; ++n) {
    const float scale = std::ldexp(1 + std::ldexp(static_cast<float>(random() % (1 << 23)), -23),
                                   static_cast<int>(random() % 24) - 20);
    EXPECT_TRUE(plan(one(scale)).is_equal()) << scale;
  }
}

// Scales at which every sum is clamped, or becomes the zero point.
TEST(NetworkPlan, TakesEveryScaleOfFloat32) {
  for (const float scale : {0x1p-149F, 0x1.8p-126F, 0x1p-70F, 0x1.234p60F, 0x1.fffffep127F})
    for (const int bits : {1, 12, 26}) {
      const NetworkPlan p = plan(one(scale), bits);
      const Requantiser& r = p.nodes[0].channels[0];
      for (const std::int64_t sum : {-25000, -1, 0, 1, 25000})
        EXPECT_EQ(arith::requantised(r.rule, sum), by_float(scale, sum, 8)) << scale << " " << sum;
    }
}

TEST(NetworkPlan, RefusesWideResults) {
  try {
    (void)plan(one(0.5F, "s24"));
    FAIL();
  } catch (const DesignError& e) {
    EXPECT_STREQ(e.what(), "node c requantises its sums to 24 bits; they must have at most 16");
  }
}

}  // namespace
}  // namespace kumiki::gen::graph::plan_test
