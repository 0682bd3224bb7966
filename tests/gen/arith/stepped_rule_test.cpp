// SPDX-License-Identifier: Apache-2.0
// Steps by a scale, a factor and an offset, against looking at every accumulator.
#include "gen/arith/stepped_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gen/arith/steps.h"
#include "ir/error.h"
#include "tests/support/refusal.h"
#include "tests/support/seed.h"

namespace kumiki::gen::arith::stepped_rule_test {
namespace {

// Results by definition: the lowest, and one more for each begin that is at most v.
struct Begins {
  std::int64_t lowest = 0;
  std::vector<std::int64_t> at;  // rising
  std::int64_t operator()(std::int64_t v) const {
    return lowest + std::ranges::count_if(at, [&](std::int64_t b) { return b <= v; });
  }
  Interval range() const { return {lowest, lowest + static_cast<std::int64_t>(at.size())}; }
};

std::optional<SteppedRule> found(const Begins& b, const Interval& reachable, std::int64_t zero,
                                 std::int64_t most_factor) {
  return stepped_rule(steps_of([&](std::int64_t v) { return b(v); }, reachable), b.range(), zero,
                      most_factor);
}

void expect_equal(const SteppedRule& rule, const Begins& b, const Interval& reachable) {
  for (auto v = static_cast<std::int64_t>(reachable.lo); v <= reachable.hi; ++v)
    ASSERT_EQ(requantised(rule.rule, static_cast<std::int32_t>(rule.factor * v + rule.offset)),
              b(v))
        << "sum " << v << " times " << rule.factor << " + " << rule.offset;
}

TEST(SteppedRules, ByHand) {
  // From 3 on 1, below it -1: twice the sum less 5 is 1 and -1 there.
  const auto sign = found({-1, {3, 3}}, {-100, 100}, 0, 127);
  ASSERT_TRUE(sign);
  EXPECT_EQ(sign->factor, 2);
  EXPECT_EQ(sign->offset, -5);
  EXPECT_EQ(sign->rule.range, (Interval{-1, 1}));
  EXPECT_FALSE(found({-1, {3, 3}}, {-100, 100}, 0, 1));
  // Begins that are no line: 1 at 10, 2 at 11, 3 at 50.
  EXPECT_FALSE(found({0, {10, 11, 50}}, {0, 100}, 0, 127));
  // What is never reached asks for nothing but to stay so.
  const auto two = found({0, {10, 20, 90}}, {0, 25}, 0, 127);
  ASSERT_TRUE(two);
  expect_equal(*two, {0, {10, 20, 90}}, {0, 25});
  for (const std::int64_t begin : {-500, 500}) {
    const auto constant = found({-1, {begin, begin}}, {-96, 96}, 0, 1);
    ASSERT_TRUE(constant);
    expect_equal(*constant, {-1, {begin, begin}}, {-96, 96});
  }
  // The same numbers as they are.
  const auto same = found({-2, {-1, 0, 1}}, {-2, 1}, 0, 1);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->factor, 1);
  // Results beyond the range, or a zero point.
  const Steps from_one = steps_of([](std::int64_t v) { return v >= 1 ? 1 : 0; }, {0, 3});
  const auto said = [&](const Interval& range, std::int64_t zero) {
    return test::refusal<DesignError>([&] { (void)stepped_rule(from_one, range, zero, 1); });
  };
  EXPECT_EQ(said({0, 1}, 2),
            "results [0, 1] with the zero point 2 leave the format; they must be within [0, 1]");
  EXPECT_EQ(said({1, 8}, 2),
            "results [0, 1] with the zero point 2 leave the format; they must be within [1, 8]");
  EXPECT_EQ(said({0, 1}, 1), "not refused");
}

TEST(SteppedRules, OfRulesThatScaleAreFoundAndEqual) {
  std::mt19937_64 random(test::rotating_seed());
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  for (int n = 0; n < 400; ++n) {
    const std::int64_t levels = number(1, 20), lo = number(-3000, 1000);
    const Interval reachable{lo, lo + number(0, 4000)};
    // begin of result j: ceil(first + j * stride), of a stride that is a quarter of an integer.
    const std::int64_t first = number(-4000, 4000), stride = number(4, 800);
    Begins b{.lowest = number(-128, 100), .at = {}};
    for (std::int64_t j = 0; j < levels; ++j)
      b.at.push_back(static_cast<std::int64_t>(ceil_div(first + j * stride, 4)));
    const std::int64_t zero = b.lowest + number(0, levels);
    const auto rule = found(b, reachable, zero, 127);
    ASSERT_TRUE(rule) << n;
    EXPECT_EQ(rule->rule.zero_point, zero);
    expect_equal(*rule, b, reachable);
  }
}

// Few sums and few levels: every factor, offset and scale of a fine grid.
TEST(SteppedRules, AreFoundWhereThereAreAny) {
  std::mt19937_64 random(test::rotating_seed());
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  constexpr std::int64_t most_factor = 3;
  int with = 0, without = 0;
  for (int n = 0; n < 150; ++n) {
    const Interval reachable{number(-6, 0), number(1, 7)};
    Begins b{.lowest = number(-2, 0), .at = {}};
    for (std::int64_t j = number(1, 5); j > 0; --j) b.at.push_back(number(-7, 8));
    std::ranges::sort(b.at);
    const std::int64_t zero =
        std::clamp<std::int64_t>(number(-1, 1), b.lowest, static_cast<std::int64_t>(b.range().hi));
    const auto equal = [&](std::int64_t factor, std::int64_t offset, float scale) {
      const FloatRule rule{scale, zero, b.range()};
      for (auto v = static_cast<std::int64_t>(reachable.lo); v <= reachable.hi; ++v)
        if (requantised(rule, static_cast<std::int32_t>(factor * v + offset)) != b(v)) return false;
      return true;
    };
    std::int64_t least = 0;
    for (std::int64_t factor = 1; factor <= most_factor && least == 0; ++factor)
      for (std::int64_t offset = -30; offset <= 30 && least == 0; ++offset)
        for (int stride = 1; stride < 400 && least == 0; ++stride)
          // Not on ties, which the rule rounds to the even number.
          if (equal(factor, offset, 1 / (0.05F * static_cast<float>(stride) + 0.0125F)))
            least = factor;
    const auto rule = found(b, reachable, zero, most_factor);
    if (least > 0) {
      ASSERT_TRUE(rule) << n << ": " << least;
      EXPECT_LE(rule->factor, least);
    }
    if (rule) expect_equal(*rule, b, reachable);
    ++(rule ? with : without);
  }
  EXPECT_GT(with, 10);
  EXPECT_GT(without, 10);
}

}  // namespace
TEST(SteppedRules, LargestFactorOfWeights) {
  const std::vector<std::int16_t> both{1, -64}, edge{-128}, none{0}, wide{200};
  EXPECT_EQ(most_factor(both, 1, 8), 2);
  EXPECT_EQ(most_factor(both, -1, 8), 1);
  EXPECT_EQ(most_factor(edge, 1, 8), 1);
  EXPECT_EQ(most_factor(edge, -1, 8), 0);
  EXPECT_EQ(most_factor(none, 1, 4), 7);
  EXPECT_EQ(most_factor(wide, 1, 8), 0);
}

}  // namespace kumiki::gen::arith::stepped_rule_test
