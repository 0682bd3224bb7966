// SPDX-License-Identifier: Apache-2.0
// Rules for a narrow port, against onnxruntime's rule at every accumulator.
#include "gen/arith/narrow_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gen/arith/float_rule.h"
#include "tests/support/seed.h"

namespace kumiki::gen::arith::narrow_rules_test {
namespace {

struct Case {
  std::vector<float> scales;
  std::int64_t zero_point = 0;
  Interval range{-128, 127};
  Interval accumulators = signed_range(20);
  std::vector<std::int64_t> biases = {};

  FloatRule rule(std::size_t c) const {
    return {.scale = scales[c], .zero_point = zero_point, .range = range};
  }
  std::int64_t bias(std::size_t c) const { return biases.empty() ? 0 : biases[c]; }
  std::optional<NarrowRules> rules(int most_low_bits = 2) const {
    NarrowRequest request{.channels = {},
                          .zero_point = zero_point,
                          .range = range,
                          .port_bits = 18,
                          .factor_bits = 26,
                          .sum_bits = 48,
                          .most_low_bits = most_low_bits};
    for (std::size_t c = 0; c < scales.size(); ++c)
      request.channels.push_back(
          {.steps = moved(steps_of(rule(c), accumulators + Exact{bias(c)}), -bias(c)),
           .scale = static_cast<double>(scales[c])});
    return narrow_rules(request);
  }
  void expect_equal(const NarrowRules& rules) const {
    for (std::size_t c = 0; c < scales.size(); ++c)
      for (auto a = as_word(accumulators.lo); a <= as_word(accumulators.hi); ++a)
        ASSERT_EQ(requantised(rules, c, a),
                  requantised(rule(c), static_cast<std::int32_t>(a + bias(c))))
            << a << ": " << to_string(rules, c);
  }
};

TEST(NarrowRules, EqualEveryAccumulator) {
  const std::vector<Case> cases{
      {.scales = {0.25F}},
      {.scales = {0.25F}, .zero_point = 3},
      {.scales = {0x1p-10F}, .zero_point = -128},
      {.scales = {0.0123F, 0.00251F, 0.0031F}, .zero_point = 128, .range = {0, 255}},
      {.scales = {0.00123F}, .zero_point = 255, .range = {0, 255}},
      {.scales = {1e-9F}, .zero_point = 7},
      {.scales = {1.5F, 300.25F}, .zero_point = -1, .accumulators = signed_range(16)},
      {.scales = {0.00113187F, 0.00129541F}, .zero_point = 5, .biases = {-70001, 93017}},
      {.scales = {0.37F}, .zero_point = 1, .range = {1, 7}, .accumulators = {-3, 100}}};
  for (const Case& c : cases) {
    const auto rules = c.rules();
    ASSERT_TRUE(rules) << c.scales[0];
    c.expect_equal(*rules);
  }
}

// 1/4 of 20 bits ends far outside of the port, so the port takes all bits of the middle.
TEST(NarrowRules, ThePortHoldsWhatHasNoEndAsItsResult) {
  const auto few = Case{.scales = {0.25F}}.rules();
  ASSERT_TRUE(few);
  EXPECT_EQ(few->low_bits, 0);
  EXPECT_EQ(few->held, signed_range(18));
  EXPECT_EQ(requantised(*few, 0, -131073), -128);
  EXPECT_EQ(requantised(*few, 0, 131072), 127);
  const Case wide{.scales = {0x1p-11F}};
  const auto many = wide.rules();
  ASSERT_TRUE(many);
  EXPECT_EQ(many->low_bits, 1);
  EXPECT_EQ(many->channels[0].offsets.size(), 2u);
  wide.expect_equal(*many);
}

// Ties go to the even neighbour: results begin at 3, 6 and 11 quarters, which no line does.
TEST(NarrowRules, NearATieTheResultIsEven) {
  for (const std::int64_t zero : {0, 1}) {
    const auto rules =
        Case{.scales = {0.25F}, .zero_point = zero, .range = {0, 7}, .accumulators = {0, 15}}
            .rules();
    ASSERT_TRUE(rules);
    EXPECT_GT(rules->near_bits, 0);
    EXPECT_TRUE(rules->channels[0].even);
    EXPECT_EQ(requantised(*rules, 0, 2), zero);
    EXPECT_EQ(requantised(*rules, 0, 6), zero + 2);
    EXPECT_EQ(requantised(*rules, 0, 10), zero + 2);
  }
}

// The scales share a shift as long as the port of the factor has bits for the smaller ones.
TEST(NarrowRules, FarScalesHaveShiftsOfTheirOwn) {
  const auto near = Case{.scales = {0.00321F, 0.00519F}}.rules();
  ASSERT_TRUE(near);
  EXPECT_EQ(near->shifts().size(), 1u);
  const Case far{.scales = {0.31F, 0.00123F}};
  const auto rules = far.rules();
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->shifts().size(), 2u);
  far.expect_equal(*rules);
}

// Scales of channels of quantised MobileNets.
TEST(NarrowRules, ExceptionsAreListed) {
  const Case c{.scales = {0.0069528413F, 0.00876404531F, 0.0087452475F},
               .range = {0, 255},
               .accumulators = signed_range(18),
               .biases = {-639, 428, -132}};
  const auto rules = c.rules(0);
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->exceptions.size(), 3u);
  c.expect_equal(*rules);
  NarrowRules without = *rules;
  without.exceptions.clear();
  for (const auto& e : rules->exceptions) {
    EXPECT_EQ(requantised(*rules, e.channel, e.accumulator), e.result);
    EXPECT_NE(requantised(without, e.channel, e.accumulator), e.result);
  }
}

TEST(NarrowRules, SomeHaveNone) {
  // Both are near 11 and 12 over 10,000, so many results begin next to a tie.
  EXPECT_FALSE((Case{.scales = {0.0011F, 0.0012F}, .zero_point = 5}.rules()));
  // The middle has 25 bits: more low bits than a table is made for.
  EXPECT_FALSE((Case{.scales = {0x1p-17F}, .accumulators = signed_range(26)}.rules()));
}

TEST(NarrowRules, AnyChannelsAreEqual) {
  std::mt19937_64 random(test::rotating_seed());
  int found = 0;
  for (int n = 0; n < 40; ++n) {
    Case c{.scales = {},
           .zero_point = static_cast<std::int64_t>(random() % 256),
           .range = {0, 255},
           .accumulators = signed_range(14 + static_cast<int>(random() % 6))};
    for (std::uint64_t i = 0; i <= random() % 4; ++i) {
      c.scales.push_back(std::ldexp(1 + static_cast<float>(random() % (1 << 23)) * 0x1p-23F,
                                    -static_cast<int>(random() % 11)));
      c.biases.push_back(static_cast<std::int64_t>(random() % 20000) - 10000);
    }
    const auto rules = c.rules();
    if (!rules) continue;
    ++found;
    c.expect_equal(*rules);
  }
  EXPECT_GT(found, 30);
}

}  // namespace
}  // namespace kumiki::gen::arith::narrow_rules_test
