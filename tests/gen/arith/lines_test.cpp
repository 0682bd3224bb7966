// SPDX-License-Identifier: Apache-2.0
// Lines that are equal to a rule, against looking at every accumulator; ties by hand.
#include "gen/arith/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "gen/arith/channel_rule.h"
#include "gen/arith/float_rule.h"
#include "tests/support/seed.h"

namespace kumiki::gen::arith::lines_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::int64_t of_line(const Line& line, Exact offset, const Interval& range, std::int64_t acc) {
  const Exact q = floor_div(Exact{acc} * line.factor + offset, power_of_two(line.shift));
  return static_cast<std::int64_t>(std::clamp(q, range.lo, range.hi));
}

// A quarter of 0 to 15: 2 and 10 are ties that go down, 6 is one that goes up.
TEST(Lines, TiesToTheEvenNeighbourAreExceptions) {
  const FloatRule rule{.scale = 0.25F, .zero_point = 0, .range = {0, 3}};
  const Steps steps = steps_of(rule, {0, 15});
  ASSERT_THAT(steps.begins, ElementsAre(3, 6, 11));
  // From below 1 at 2 to 2 at 6 is more than a quarter, from 2 at 6 to below 3 at 10 is less.
  EXPECT_TRUE(lines_of(steps, 0.25, rule.range, 26, 10).empty());
  const auto straight = straightened(steps, 0.25F, 0, 2);
  ASSERT_TRUE(straight);
  EXPECT_THAT(straight->exceptions, ElementsAre(Pair(2, 0), Pair(10, 2)));
  EXPECT_THAT(straight->steps.begins, ElementsAre(2, 6, 10));
  EXPECT_FALSE(straightened(steps, 0.25F, 0, 1));
  const auto lines = lines_of(straight->steps, 0.25, rule.range, 26, 10);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0], (Line{.factor = 1, .shift = 2, .offsets = {2, 2}}));
}

// By hand: a quarter, with a zero point of 1 and of 2.
TEST(Lines, TiesOfShortScales) {
  for (const int zero : {1, 2}) {
    const FloatRule rule{.scale = 0.25F, .zero_point = zero, .range = {0, 7}};
    const auto even = equal_rule(steps_of(rule, {0, 15}), 0.25, zero, rule.range, 26, 30, true);
    ASSERT_TRUE(even);
    EXPECT_EQ(*even, even_rule(1, 2, zero, rule.range));
    const std::vector<int> quarters{0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4};
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(requantised(*even, i), quarters[static_cast<std::size_t>(i)] + zero) << i;
  }
}

// All lines that are found, at both ends of their offsets, and one beyond each end, which is wrong
// somewhere.
TEST(Lines, AreTheRuleAtEveryAccumulator) {
  std::mt19937_64 random(test::rotating_seed());
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  std::size_t seen = 0;
  for (int n = 0; n < 60; ++n) {
    const int bits = static_cast<int>(number(1, 8));
    const Interval range = number(0, 1) == 0 ? unsigned_range(bits) : signed_range(bits);
    const FloatRule rule{.scale = static_cast<float>(number(1, 100000)) * 1e-5F,
                         .zero_point = number(static_cast<std::int64_t>(range.lo),
                                              static_cast<std::int64_t>(range.hi)),
                         .range = range};
    const std::int64_t lo = number(-1000, 0);
    const Interval reach{lo, lo + number(0, 2000)};
    const Steps steps = steps_of(rule, reach);
    const auto lines = lines_of(steps, static_cast<double>(rule.scale), range, 26, 12);
    seen += lines.size();
    for (const Line& line : lines) {
      ASSERT_EQ(line.factor % 2, 1);
      const auto is_equal = [&](Exact offset) {
        for (auto acc = lo; acc <= static_cast<std::int64_t>(reach.hi); ++acc)
          if (of_line(line, offset, range, acc) != steps.at(acc)) return false;
        return true;
      };
      EXPECT_TRUE(is_equal(line.offsets.lo));
      EXPECT_TRUE(is_equal(line.offsets.hi));
      if (!steps.begins.empty()) {
        EXPECT_FALSE(is_equal(line.offsets.lo - 1));
        EXPECT_FALSE(is_equal(line.offsets.hi + 1));
      }
    }
  }
  EXPECT_GT(seen, 200U);
}

// With a zero point: results of the line and the exceptions are those of the rule, and such lines
// there are.
TEST(Lines, StraightenedRulesHaveLines) {
  std::mt19937_64 random(test::rotating_seed());
  std::size_t exceptions = 0;
  for (int n = 0; n < 40; ++n) {
    // Short scales have ties.
    const float scale = static_cast<float>(random() % 15 + 1) / 32;
    const auto first = static_cast<std::int64_t>(random() % 100) - 110,
               zero = static_cast<std::int64_t>(random() % 21) - 10;
    const FloatRule rule{.scale = scale, .zero_point = zero, .range = {-10, 10}};
    const Steps steps = steps_of(rule, {first, first + 120});
    const auto straight = straightened(steps, scale, zero, 100);
    ASSERT_TRUE(straight);
    exceptions += straight->exceptions.size();
    const auto lines = lines_of(straight->steps, static_cast<double>(scale), rule.range, 26, 3);
    ASSERT_FALSE(lines.empty());
    for (std::int64_t acc = first; acc <= first + 120; ++acc) {
      const auto found = straight->exceptions.find(acc);
      EXPECT_EQ(found != straight->exceptions.end()
                    ? found->second
                    : of_line(lines[0], lines[0].offsets.lo, rule.range, acc),
                requantised(rule, static_cast<std::int32_t>(acc)));
    }
  }
  EXPECT_GT(exceptions, 20U);
}

}  // namespace
}  // namespace kumiki::gen::arith::lines_test
