// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/float_rule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "ir/error.h"
#include "tests/support/refusal.h"
#include "tests/support/seed.h"

namespace kumiki::gen::arith::float_rule_test {
namespace {

constexpr Interval s8{-128, 127}, u8{0, 255};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

// Half of them where a next result begins (float_rule.py).
TEST(FloatRule, ResultsAreThoseOfOnnxruntime) {
  std::ifstream in(std::string(KUMIKI_TEST_DIR) + "/gen/arith/float_rule.csv");
  std::size_t count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    const auto part = split(line);
    ASSERT_EQ(part.size(), 5u) << line;
    const FloatRule rule{.scale = std::strtof(part[0].c_str(), nullptr),
                         .zero_point = std::stoll(part[2]),
                         .range = part[1] == "u8" ? u8 : s8};
    EXPECT_EQ(requantised(rule, std::stoi(part[3])), std::stoll(part[4])) << line;
  }
  EXPECT_GT(count, 2000u);
}

TEST(FloatRule, TiesGoToTheEvenNeighbour) {
  const FloatRule rule{.scale = 0.5F, .zero_point = 3};
  // 0.5, 1.5, 2.5, -0.5, -1.5 and the zero point.
  for (const auto& [at, result] : {std::pair{1, 3}, {3, 5}, {5, 5}, {-1, 3}, {-3, 1}})
    EXPECT_EQ(requantised(rule, at), result) << at;
}

TEST(FloatRule, AnAccumulatorBeyond24BitsIsRoundedFirst) {
  // 2^24 + 1 is 2^24 as a float, 2^24 + 3 is 2^24 + 4.
  const FloatRule rule{.scale = std::ldexp(1.0F, -2), .range = {-(1 << 23), (1 << 23) - 1}};
  EXPECT_EQ(requantised(rule, (1 << 24) + 1), 1 << 22);
  EXPECT_EQ(requantised(rule, (1 << 24) + 3), (1 << 22) + 1);
}

TEST(FloatRule, StepsSayEveryResult) {
  std::mt19937_64 random(test::rotating_seed());
  for (int n = 0; n < 60; ++n) {
    const auto any = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    const bool is_signed = any(0, 1) == 1;
    FloatRule rule{.scale = std::ldexp(1.0F + std::ldexp(static_cast<float>(any(0, 8388607)), -23),
                                       static_cast<int>(any(-12, 1))),
                   .zero_point = is_signed ? any(-128, 127) : any(0, 255),
                   .range = is_signed ? s8 : u8};
    const std::int64_t low = any(-40000, 40000), high = low + any(0, 40000);
    const Steps steps = steps_of(rule, {low, high});
    for (std::int64_t at = low; at <= high; ++at)
      ASSERT_EQ(steps.at(at), requantised(rule, static_cast<std::int32_t>(at)))
          << at << " scale " << rule.scale;
  }
}

// Nothing that looks at bounds alone: every accumulator is computed both ways.
TEST(FloatRule, AnEqualRuleIsEqualEverywhere) {
  std::mt19937_64 random(test::rotating_seed());
  int found = 0;
  for (int n = 0; n < 40; ++n) {
    const auto mantissa = std::uniform_int_distribution<int>(0, 8388607)(random);
    const FloatRule rule{
        .scale = std::ldexp(1.0F + std::ldexp(static_cast<float>(mantissa), -23), -(n % 12)),
        .zero_point = n % 7 - 3};
    const Interval reachable{-60000, 50000};
    const Steps steps = steps_of(rule, reachable);
    const auto integer = equal_rule(rule, steps);
    if (!integer) continue;
    ++found;
    EXPECT_LT(integer->factor, 1 << 26);
    EXPECT_TRUE(differences(steps, *integer).empty()) << to_string(*integer);
    for (std::int64_t at = -60000; at <= 50000; ++at)
      ASSERT_EQ(requantised(*integer, at), requantised(rule, static_cast<std::int32_t>(at)))
          << at << " scale " << rule.scale << ": " << to_string(*integer);
  }
  EXPECT_GT(found, 20);
}

// Every factor of the next smaller shift, with every offset, by what each step alone allows.
TEST(FloatRule, NoRuleOfFewerBitsIsEqual) {
  std::mt19937_64 random(test::rotating_seed());
  int compared = 0;
  for (int n = 0; n < 60; ++n) {
    const auto mantissa = std::uniform_int_distribution<int>(1, 8388607)(random);
    const FloatRule rule{
        .scale = std::ldexp(1.0F + std::ldexp(static_cast<float>(mantissa), -23), -1 - n % 8),
        .zero_point = n % 5 - 2};
    const Steps steps = steps_of(rule, {-900 * (n % 3), 1000 + 30 * n});
    const auto found = equal_rule(rule, steps, 18);
    if (!found || found->shift == 0) continue;
    const int shift = found->shift - 1;
    const double exact = std::ldexp(static_cast<double>(rule.scale), shift);
    const auto wanted = [&](std::int64_t q) { return (q - rule.zero_point) << shift; };
    for (auto factor = static_cast<std::int64_t>(exact / 2);
         factor <= static_cast<std::int64_t>(exact * 2) + 1; ++factor) {
      std::int64_t low = INT64_MIN, high = INT64_MAX;
      const auto bound = [&](std::int64_t at, std::int64_t q) {
        if (at >= steps.reachable.lo && at <= steps.reachable.hi)
          low = std::max(low, wanted(q) - at * factor);
        if (at - 1 >= steps.reachable.lo && at - 1 <= steps.reachable.hi)
          high = std::min(high, wanted(q) - 1 - (at - 1) * factor);
      };
      if (steps.first > -128) bound(static_cast<std::int64_t>(steps.reachable.lo), steps.first);
      std::int64_t q = steps.first;
      for (const auto at : steps.begins) bound(at, ++q);
      if (q < 127) bound(static_cast<std::int64_t>(steps.reachable.hi) + 1, q + 1);
      ASSERT_GT(low, high) << factor << " >> " << shift << " of scale " << rule.scale;
    }
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

constexpr auto why = &kumiki::test::refusal<DesignError>;

TEST(FloatRule, FactorsAndShiftsHaveLimits) {
  const FloatRule rule{.scale = 0.3F};
  const Steps steps = steps_of(rule, {-9, 9});
  const auto said = [&](int factor_bits, int shift) {
    return why([&] { (void)equal_rule(rule, steps, factor_bits, shift); });
  };
  EXPECT_EQ(said(31, 48),
            "factors have 31 bits and shifts are up to 48; they must be at most 30 and 48");
  EXPECT_EQ(said(0, 48),
            "factors have 0 bits and shifts are up to 48; they must be at most 30 and 48");
  EXPECT_EQ(said(26, 49),
            "factors have 26 bits and shifts are up to 49; they must be at most 30 and 48");
  EXPECT_EQ(said(26, -1),
            "factors have 26 bits and shifts are up to -1; they must be at most 30 and 48");
  EXPECT_EQ(said(30, 48), "not refused");
  EXPECT_EQ(said(1, 0), "not refused");
  const FloatRule wide{.scale = 1, .range = signed_range(32)};
  EXPECT_FALSE(equal_rule(wide, steps_of(wide, {-9, 9})));
}

TEST(FloatRule, APowerOfTwoNeedsNoFactor) {
  const FloatRule rule{.scale = std::ldexp(1.0F, -7), .zero_point = 5};
  const auto integer = equal_rule(rule, steps_of(rule, signed_range(20)));
  ASSERT_TRUE(integer);
  EXPECT_EQ(
      *integer,
      (IntegerRule{.factor = 1, .shift = 7, .rounding = Rounding::half_even, .zero_point = 5}));
  EXPECT_EQ(to_string(*integer), "acc * 1 / 2^7 half to even, + 5, in [-128, 127]");
}

TEST(FloatRule, ARuleThatIsNotEqualSaysWhere) {
  const FloatRule rule{.scale = 0.5F};
  const Steps steps = steps_of(rule, {-4, 4});
  // Half up: 1, -1 is 0, -3 is -1; the even neighbours are 0, 0 and -2.
  const IntegerRule half_up{.factor = 1, .shift = 1, .offset = 1};
  EXPECT_EQ(differences(steps, half_up), (std::vector<Difference>{{-3, -2, -1}, {1, 0, 1}}));
  EXPECT_EQ(differences(steps, half_up, 1), (std::vector<Difference>{{-3, -2, -1}}));
  const IntegerRule even{.factor = 1, .shift = 1, .rounding = Rounding::half_even};
  EXPECT_TRUE(differences(steps, even).empty());
}

TEST(FloatRule, ARuleOfTooFewBitsIsNotFound) {
  const FloatRule rule{.scale = 0.3337F};
  const Steps steps = steps_of(rule, {-400, 400});
  EXPECT_FALSE(equal_rule(rule, steps, 4));
  const auto wide = equal_rule(rule, steps);
  ASSERT_TRUE(wide);
  EXPECT_GE(wide->factor, 16);
}

TEST(FloatRule, WhatIsNoRuleIsRefused) {
  const auto said = [](const FloatRule& rule) { return why([&] { require_legal(rule); }); };
  for (const float scale : {0.0F, -1.0F, INFINITY})
    EXPECT_EQ(said({.scale = scale}),
              fmt::format("a scale of {}; the scale must be a finite number above 0", scale));
  EXPECT_THROW(require_legal(FloatRule{.scale = NAN}), DesignError);
  EXPECT_EQ(said({.zero_point = 128}),
            "a zero point of 128; the zero point must be within [-128, 127]");
  EXPECT_EQ(said({.zero_point = 127}), "not refused");
  EXPECT_EQ(why([] {
              (void)steps_of(FloatRule{}, {1, 0});
            }),
            "the accumulators are [1, 0]; they must be of 32 bits, and at least one");
  EXPECT_EQ(why([] {
              (void)steps_of(FloatRule{}, {0, power_of_two(31)});
            }),
            "the accumulators are [0, 2147483648]; they must be of 32 bits, and at least one");
  EXPECT_NO_THROW(steps_of(FloatRule{}, signed_range(32)));
}

// By numpy: dividing first gives 0x1.68f5c2p-1.
TEST(FloatRule, ScalesAreMultipliedFirst) {
  EXPECT_EQ(product_scale(0x1.e5f8b0p-1F, 0x1.465cbcp-2F, 0x1.b76434p-2F), 0x1.68f5c4p-1F);
}

}  // namespace
}  // namespace kumiki::gen::arith::float_rule_test
