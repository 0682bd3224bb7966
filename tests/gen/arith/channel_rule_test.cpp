// SPDX-License-Identifier: Apache-2.0
// TFLite's rule against tables that Python's integers gave, and the forms of channels at every
// accumulator.
#include "gen/arith/channel_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "gen/arith/float_rule.h"
#include "gen/arith/rounding.h"
#include "ir/error.h"
#include "tests/support/refusal.h"
#include "tests/support/seed.h"

namespace kumiki::gen::arith::channel_rule_test {
namespace {

// doubling_rule.py, gemmlowp's functions in Python's integers: nudge = 2^30 if ab >= 0 else 1 -
// 2^30, (ab + nudge) / 2^31 towards zero; then x >> e, and one more where the remainder is above
// half of the mask, plus 1 below 0.
TEST(DoublingRules, AreGemmlowps) {
  constexpr std::int32_t accumulators[] = {0,    1,   -1,   3,     -3,     191,     -191,    192,
                                           -192, 255, -255, 12345, -12345, 8388607, -8388608};
  struct Row {
    std::int32_t multiplier;
    int shift;
    std::int64_t results[std::size(accumulators)];
  };
  const Row rows[] = {
      {1073741824,
       -2,
       {0, 2, -2, 6, -6, 382, -382, 384, -384, 510, -510, 24690, -24690, 16777214, -16777216}},
      {1073741824,
       0,
       {0, 1, 0, 2, -1, 96, -95, 96, -96, 128, -127, 6173, -6172, 4194304, -4194304}},
      {1073741824, 1, {0, 1, 0, 1, -1, 48, -48, 48, -48, 64, -64, 3087, -3086, 2097152, -2097152}},
      {1073741824, 7, {0, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 48, -48, 32768, -32768}},
      {1518500250,
       -2,
       {0, 3, -3, 8, -8, 540, -540, 543, -543, 721, -721, 34917, -34917, 23726564, -23726566}},
      {1518500250,
       0,
       {0, 1, -1, 2, -2, 135, -135, 136, -136, 180, -180, 8729, -8729, 5931641, -5931642}},
      {1518500250, 1, {0, 1, -1, 1, -1, 68, -68, 68, -68, 90, -90, 4365, -4365, 2965821, -2965821}},
      {1518500250, 7, {0, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 68, -68, 46341, -46341}},
      {2147483647,
       -2,
       {0, 4, -4, 12, -12, 764, -764, 768, -768, 1020, -1020, 49380, -49380, 33554428, -33554432}},
      {2147483647,
       0,
       {0, 1, -1, 3, -3, 191, -191, 192, -192, 255, -255, 12345, -12345, 8388607, -8388608}},
      {2147483647,
       1,
       {0, 1, -1, 2, -2, 96, -96, 96, -96, 128, -128, 6173, -6173, 4194304, -4194304}},
      {2147483647, 7, {0, 0, 0, 0, 0, 1, -1, 2, -2, 2, -2, 96, -96, 65536, -65536}},
  };
  for (const Row& r : rows)
    for (std::size_t i = 0; i < std::size(accumulators); ++i)
      EXPECT_EQ(
          requantised(
              DoublingRule{.multiplier = r.multiplier, .shift = r.shift, .range = signed_range(32)},
              accumulators[i]),
          r.results[i])
          << accumulators[i] << " " << r.multiplier << " " << r.shift;
}

constexpr auto why = &kumiki::test::refusal<DesignError>;

TEST(DoublingRules, RefuseWhatTheyDoNotMean) {
  const auto said = [](const DoublingRule& r, const Interval& of = {-100, 100}) {
    return why([&] { require_legal(r, of); });
  };
  EXPECT_EQ(said({}), "not refused");
  EXPECT_EQ(said({.multiplier = (1 << 30) - 1}),
            "a multiplier of 1073741823; the multiplier must be from 2^30 to 2^31 - 1");
  EXPECT_EQ(said({.shift = 32}), "a shift of 32; the shift must be from -31 to 31");
  EXPECT_EQ(said({.shift = -32}, {0, 0}), "a shift of -32; the shift must be from -31 to 31");
  EXPECT_EQ(said({.shift = -31}, {0, 0}), "not refused");
  EXPECT_EQ(said({.shift = 31}), "not refused");
  EXPECT_EQ(said({.zero_point = 128}),
            "a zero point of 128; the zero point must be within [-128, 127]");
  EXPECT_EQ(said({.shift = -24}), "not refused");
  EXPECT_EQ(said({.shift = -25}),
            "accumulators [-100, 100] shifted to [-3355443200, 3355443200]; shifted accumulators "
            "must fit 32 bits; use a narrower accumulator or a larger shift");
}

template <class Rule>
void expect_equal(const Rule& rule, const SlicedRule& form, const Interval& all) {
  for (auto at = static_cast<std::int64_t>(all.lo); at <= static_cast<std::int64_t>(all.hi); ++at)
    ASSERT_EQ(requantised(form, at), requantised(rule, static_cast<std::int32_t>(at)))
        << at << " by " << to_string(form);
}

std::int64_t below(std::mt19937_64& random, std::int64_t end) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
}

Interval any_range(std::mt19937_64& random) {
  const int bits = 2 + static_cast<int>(below(random, 8));
  return below(random, 2) == 0 ? signed_range(bits) : unsigned_range(bits);
}

Interval any_accumulators(std::mt19937_64& random) {
  const std::int64_t a = below(random, 40'000) - 20'000, b = below(random, 40'000) - 20'000;
  return {std::min(a, b), std::max(a, b)};
}

// What is found is equal at every accumulator; where nothing is found there is nothing to compare,
// so most have to be found.
TEST(SlicedRules, AreTfliteAtEveryAccumulator) {
  std::mt19937_64 random(test::rotating_seed());
  int found = 0, sided = 0;
  for (int n = 0; n < 200; ++n) {
    DoublingRule rule{.multiplier = (1 << 30) + static_cast<std::int32_t>(below(random, 1 << 30)),
                      .shift = static_cast<int>(below(random, 12)) - 1};
    if (below(random, 8) == 0) rule.multiplier = 1 << 30;
    rule.range = any_range(random);
    rule.zero_point = static_cast<std::int64_t>(rule.range.lo) +
                      below(random, static_cast<std::int64_t>(rule.range.span()) + 1);
    const Interval all = any_accumulators(random);
    const Steps steps = steps_of(
        [&](std::int64_t a) { return requantised(rule, static_cast<std::int32_t>(a)); }, all);
    const auto form = equal_rule(steps, rule.scale(), rule.zero_point, rule.range);
    if (!form) continue;
    ++found;
    sided += form->offset != form->offset_below ? 1 : 0;
    EXPECT_LE(form->factor_bits(), 26);
    expect_equal(rule, *form, all);
  }
  EXPECT_GT(found, 190);
  EXPECT_GT(sided, 20);
}

TEST(SlicedRules, AreOnnxruntimeAtEveryAccumulator) {
  std::mt19937_64 random(test::rotating_seed() + 1);
  int found = 0, even = 0;
  for (int n = 0; n < 200; ++n) {
    FloatRule rule{.scale =
                       std::ldexp(1 + std::ldexp(static_cast<float>(below(random, 1 << 23)), -23),
                                  static_cast<int>(below(random, 14)) - 12)};
    if (below(random, 3) == 0)
      rule.scale = std::ldexp(static_cast<float>(2 * below(random, 4) + 1),
                              -static_cast<int>(below(random, 9)));
    rule.range = any_range(random);
    rule.zero_point = static_cast<std::int64_t>(rule.range.lo) +
                      below(random, static_cast<std::int64_t>(rule.range.span()) + 1);
    const Interval all = any_accumulators(random);
    const auto form = equal_rule(steps_of(rule, all), rule.scale, rule.zero_point, rule.range);
    if (!form) continue;
    ++found;
    even += form->even ? 1 : 0;
    expect_equal(rule, *form, all);
  }
  EXPECT_GT(found, 150);
  EXPECT_GT(even, 5);
}

// Every factor of the next smaller shift, with every offset, by what each step alone allows.
TEST(SlicedRules, NoneOfFewerBitsIsEqual) {
  std::mt19937_64 random(test::rotating_seed());
  int compared = 0;
  for (int n = 0; n < 60; ++n) {
    const auto mantissa = std::uniform_int_distribution<int>(1, 8388607)(random);
    const FloatRule rule{
        .scale = std::ldexp(1.0F + std::ldexp(static_cast<float>(mantissa), -23), -1 - n % 8),
        .zero_point = n % 5 - 2};
    const Steps steps = steps_of(rule, {-900 * (n % 3), 1000 + 30 * n});
    const auto found = equal_rule(steps, rule.scale, rule.zero_point, rule.range, 18, 46, true);
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

TEST(SlicedRules, APowerOfTwoNeedsNoFactor) {
  const FloatRule rule{.scale = std::ldexp(1.0F, -7), .zero_point = 5};
  const auto form = equal_rule(steps_of(rule, signed_range(20)), rule.scale, 5, rule.range);
  EXPECT_EQ(form, even_rule(1, 7, 5, rule.range));
}

TEST(SlicedRules, OfTooFewBitsAreNotFound) {
  const FloatRule rule{.scale = 0.3337F};
  const Steps steps = steps_of(rule, {-400, 400});
  EXPECT_FALSE(equal_rule(steps, rule.scale, 0, rule.range, 4));
  const auto wide = equal_rule(steps, rule.scale, 0, rule.range);
  ASSERT_TRUE(wide);
  EXPECT_GE(wide->factor, 16);
}

// With one offset for all accumulators it is that below 0, too, or there is no form.
TEST(SlicedRules, OneOffset) {
  const Interval all{-3000, 3500};
  int found = 0, two = 0;
  for (int n = 1; n < 200; ++n) {
    const FloatRule rule{.scale = 0.01F * static_cast<float>(n), .zero_point = n % 7 - 3};
    const Steps steps = steps_of(rule, all);
    const double scale = rule.scale;
    const auto form = equal_rule(steps, scale, rule.zero_point, rule.range, 26, 38, true);
    const auto any = equal_rule(steps, scale, rule.zero_point, rule.range, 26, 38);
    EXPECT_TRUE(any || !form);
    two += any && any->offset != any->offset_below ? 1 : 0;
    if (!form) continue;
    ++found;
    EXPECT_EQ(form->offset, form->offset_below);
    for (std::int64_t a = -3000; a <= 3500; ++a)
      ASSERT_EQ(requantised(*form, a), requantised(rule, static_cast<std::int32_t>(a)))
          << a << " by " << to_string(*form);
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(two, 0);
}

TEST(SlicedRules, NearestOnesAreHalfToEven) {
  std::mt19937_64 random(test::rotating_seed() + 2);
  for (int n = 0; n < 100; ++n) {
    const double scale = std::ldexp(1 + static_cast<double>(below(random, 1 << 20)) / (1 << 20),
                                    -static_cast<int>(below(random, 9)));
    const int bits = 4 + static_cast<int>(below(random, 20));
    const std::int64_t zero = below(random, 20) - 10;
    const SlicedRule rule = nearest_rule(scale, zero, {-128, 127}, bits);
    EXPECT_LE(rule.factor_bits(), bits);
    EXPECT_NEAR(std::ldexp(static_cast<double>(rule.factor), -rule.shift) / scale, 1,
                std::ldexp(1.0, -bits));
    for (std::int64_t a = -300; a < 300; ++a)
      ASSERT_EQ(requantised(rule, a),
                std::clamp(rounded(Exact{a} * rule.factor, rule.shift, Rounding::half_even) + zero,
                           Exact{-128}, Exact{127}))
          << a << " by " << to_string(rule);
  }
  EXPECT_EQ(why([] {
              (void)nearest_rule(1e-30, 0, {-128, 127}, 8);
            }),
            "a scale of 1e-30 is not possible as a factor of 8 bits; its shift must be 0 to 46");
  EXPECT_EQ(
      why([] {
        (void)nearest_rule(1e9, 0, {-128, 127}, 8);
      }),
      "a scale of 1000000000 is not possible as a factor of 8 bits; its shift must be 0 to 46");
}

}  // namespace
}  // namespace kumiki::gen::arith::channel_rule_test
