// SPDX-License-Identifier: Apache-2.0
// The integer form of a float32 scale against the float rule: everywhere that a result begins, near
// every tie, and anywhere.
#include "gen/arith/float_factor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "tests/support/seed.h"

namespace kumiki::gen::arith::float_factor_test {
namespace {

constexpr std::int64_t exact = 1 << 24;
const Interval all_exact{-exact, exact};

std::int64_t by_factor(const FloatRule& rule, std::int64_t sum) {
  return requantised(float_factor(rule.scale), rule.zero_point, rule.range, sum);
}

// Sums around those where a result begins.
void expect_equal(const FloatRule& rule) {
  std::vector<std::int64_t> around{-exact, 0, exact};
  for (const std::int64_t begin : steps_of(rule, all_exact).begins) around.push_back(begin);
  for (const std::int64_t middle : around)
    for (std::int64_t sum = middle - 6; sum <= middle + 6; ++sum) {
      if (!all_exact.contains(sum)) continue;
      ASSERT_EQ(by_factor(rule, sum), requantised(rule, static_cast<std::int32_t>(sum)))
          << "scale " << std::bit_cast<std::uint32_t>(rule.scale) << " as bits, zero point "
          << rule.zero_point << ", sum " << sum;
    }
}

float any_scale(std::mt19937_64& random, int least, int most) {
  const float fraction = 1 + std::ldexp(static_cast<float>(random() & 0x7FFFFF), -23);
  return std::ldexp(fraction,
                    least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1)));
}

TEST(FloatFactor, IsTheScaleItself) {
  for (int exponent = -36; exponent <= 7; ++exponent)
    for (const float fraction : {1.0F, 1.5F, 1.0F + 0x1p-23F, 2.0F - 0x1p-23F}) {
      const float scale = std::ldexp(fraction, exponent);
      const FloatFactor f = float_factor(scale);
      EXPECT_EQ(std::ldexp(static_cast<double>(f.factor), -f.shift()), scale);
      EXPECT_LT(f.factor, 1U << FloatFactor::factor_bits);
      EXPECT_LT(f.steps, 1 << FloatFactor::step_bits);
    }
  EXPECT_EQ(float_factor(0x1p-38F), FloatFactor{});
  EXPECT_EQ(float_factor(0x1p-140F), FloatFactor{});
  EXPECT_EQ(float_factor(1000.0F), float_factor(256.0F));
}

TEST(FloatFactor, IsTheRuleNearEveryTie) {
  std::mt19937_64 random(test::rotating_seed());
  for (int n = 0; n < 3000; ++n) {
    const FloatRule rule{.scale = any_scale(random, -26, 8),
                         .zero_point = static_cast<std::int64_t>(random() % 256) - 128};
    expect_equal(rule);
    for (int k = 0; k < 256; ++k) {
      const auto middle = static_cast<std::int64_t>(std::llround((k + 0.5) / rule.scale));
      for (const std::int64_t sign : {-1, 1})
        for (std::int64_t sum = middle - 2; sum <= middle + 2; ++sum)
          if (sum <= exact) {
            ASSERT_EQ(by_factor(rule, sign * sum),
                      requantised(rule, static_cast<std::int32_t>(sign * sum)))
                << rule.scale << " * " << sign * sum;
          }
    }
    if (HasFatalFailure()) return;
  }
}

// Products that are half of a last bit away from a tie: (k + 1/2) 2^n +- 1 as a sum times a
// mantissa, made from the divisors of that number. A multiplication that is not rounded to 24 bits
// would give the other neighbour.
TEST(FloatFactor, IsTheRuleHalfOfALastBitFromATie) {
  std::size_t edges = 0, turned = 0;
  for (int k = 0; k < 255; ++k) {
    const int top = k == 0 ? -1 : std::bit_width(static_cast<unsigned>(k)) - 1;  // of k + 1/2
    for (const int below : {24, 25, 26, 27})
      for (const int way : {-1, 1}) {
        // The tie in units of 2^(top - below), and a neighbour.
        const auto number = static_cast<std::int64_t>(std::ldexp(k + 0.5, below - top)) + way;
        for (std::int64_t sum = 1; sum <= 3000; ++sum) {
          if (number % sum != 0) continue;
          std::int64_t factor = number / sum;
          int exponent = top - below;
          while (factor >= exact && factor % 2 == 0) factor /= 2, ++exponent;
          if (factor >= exact) continue;
          const FloatRule rule{.scale = std::ldexp(static_cast<float>(factor), exponent)};
          for (const std::int64_t v : {sum, -sum}) {
            const std::int64_t wanted = requantised(rule, static_cast<std::int32_t>(v));
            ASSERT_EQ(by_factor(rule, v), wanted) << rule.scale << " * " << v;
            ++edges;
            const double product = static_cast<double>(v) * static_cast<double>(rule.scale);
            turned += std::nearbyint(std::clamp(product, -128.0, 127.0)) != wanted ? 1 : 0;
          }
        }
      }
  }
  EXPECT_GT(edges, 1000u);
  EXPECT_GT(turned, 100u);
}

TEST(FloatFactor, IsTheRuleAnywhere) {
  std::mt19937_64 random(test::rotating_seed() + 1);
  for (int n = 0; n < 300'000; ++n) {
    const FloatRule rule{.scale = any_scale(random, -40, 12),
                         .zero_point = static_cast<std::int64_t>(random() % 256) - 128};
    const auto sum = static_cast<std::int64_t>(random() % (2 * exact + 1)) - exact;
    for (const std::int64_t v : {sum, sum >> random() % 24})
      ASSERT_EQ(by_factor(rule, v), requantised(rule, static_cast<std::int32_t>(v)))
          << rule.scale << " * " << v;
  }
}

TEST(FloatFactor, IsTheRuleForPowersOfTwo) {
  for (int exponent = -28; exponent <= 10; ++exponent)
    for (const std::int64_t zero : {-128, -1, 0, 5, 127})
      expect_equal({.scale = std::ldexp(1.0F, exponent), .zero_point = zero});
}

TEST(FloatFactor, BeyondWhatFloatHoldsADifferenceIsFound) {
  const Interval wide = signed_range(32);
  // Clamped long before: equal for every sum of 32 bits.
  EXPECT_FALSE(difference({.scale = 0.001F}, wide));
  EXPECT_FALSE(difference({.scale = 0x1p-17F, .zero_point = 5}, wide));
  // Nothing but the zero point.
  EXPECT_FALSE(difference({.scale = 0x1p-50F}, wide));
  // 2^17 times a result and a half: 2^24 + 2^16 is held exactly, its neighbours are not.
  const FloatRule small{.scale = 0x1.8p-18F};
  const auto found = difference(small, wide);
  ASSERT_TRUE(found);
  EXPECT_GT(std::abs(found->accumulator), exact);
  EXPECT_EQ(requantised(small, static_cast<std::int32_t>(found->accumulator)), found->wanted);
  EXPECT_EQ(by_factor(small, found->accumulator), found->given);
  EXPECT_NE(found->wanted, found->given);
  EXPECT_FALSE(difference(small, all_exact));
}

// Whether one is found is the same as trying all of them.
TEST(FloatFactor, ADifferenceIsFoundWhereThereIsOne) {
  std::mt19937_64 random(test::rotating_seed() + 2);
  std::size_t with = 0;
  for (int n = 0; n < 60; ++n) {
    const FloatRule rule{.scale = any_scale(random, -19, -17)};
    const std::int64_t from = exact - 5000 + static_cast<std::int64_t>(random() % exact);
    const Interval part{from, from + 400'000};
    bool any = false;
    for (std::int64_t sum = from; sum <= from + 400'000 && !any; ++sum)
      any = by_factor(rule, sum) != requantised(rule, static_cast<std::int32_t>(sum));
    EXPECT_EQ(difference(rule, part).has_value(), any) << rule.scale << " from " << from;
    with += any ? 1 : 0;
  }
  EXPECT_GT(with, 3u);
}

}  // namespace
}  // namespace kumiki::gen::arith::float_factor_test
