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

constexpr auto why = &kumiki::test::refusal<DesignError>;

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
