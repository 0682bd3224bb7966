// SPDX-License-Identifier: Apache-2.0
// Where results begin, against looking at every accumulator.
#include "gen/arith/steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "ir/error.h"
#include "tests/support/refusal.h"
#include "tests/support/seed.h"

namespace kumiki::gen::arith::steps_test {
namespace {

std::function<std::int64_t(std::int64_t)> any_rule(std::mt19937_64& random) {
  const double slope = std::ldexp(static_cast<double>(random() % 1000 + 1), -9);
  const auto zero = static_cast<std::int64_t>(random() % 50) - 25;
  const auto low = static_cast<std::int64_t>(random() % 40) - 60;
  const auto high = low + 1 + static_cast<std::int64_t>(random() % 100);
  return [=](std::int64_t a) {
    return std::clamp(std::llround(std::floor(static_cast<double>(a) * slope)) + zero,
                      static_cast<long long>(low), static_cast<long long>(high));
  };
}

TEST(StepsOfRules, SayEveryResultAndEveryDifference) {
  std::mt19937_64 random(test::rotating_seed());
  std::size_t different = 0;
  for (int n = 0; n < 300; ++n) {
    const auto lo = static_cast<std::int64_t>(random() % 400) - 300;
    const Interval all{lo, lo + static_cast<std::int64_t>(random() % 400)};
    const auto a = any_rule(random), b = any_rule(random);
    const Steps of_a = steps_of(a, all), of_b = steps_of(b, all);
    const auto runs = apart(of_a, of_b);
    Exact wanted = 0;
    auto run = runs.begin();
    for (auto at = lo; at <= static_cast<std::int64_t>(all.hi); ++at) {
      ASSERT_EQ(of_a.at(at), a(at));
      if (run != runs.end() && at > static_cast<std::int64_t>(run->accumulators.hi)) ++run;
      const bool listed = run != runs.end() && run->accumulators.contains(at);
      ASSERT_EQ(listed, a(at) != b(at)) << at;
      if (!listed) continue;
      EXPECT_EQ(run->wanted, a(at));
      EXPECT_EQ(run->given, b(at));
      ++wanted;
    }
    EXPECT_EQ(count(runs), wanted);
    const auto proof = difference(of_a, b);
    ASSERT_EQ(proof.has_value(), !runs.empty());
    if (proof) {
      EXPECT_EQ(*proof,
                (Difference{proof->accumulator, a(proof->accumulator), b(proof->accumulator)}));
      EXPECT_NE(proof->wanted, proof->given);
    }
    EXPECT_EQ(moved(of_a, 7), steps_of([&](std::int64_t at) { return a(at - 7); }, all + Exact{7}));
    different += runs.empty() ? 0 : 1;
  }
  EXPECT_GT(different, 100u);
}

TEST(StepsOfRules, RefuseWhatHasNone) {
  const auto same = [](std::int64_t a) { return a; };
  const auto said = [](const std::function<void()>& refused) {
    return test::refusal<DesignError>([&] { refused(); });
  };
  EXPECT_EQ(said([&] {
              (void)steps_of(same, {0, 1 << 20});
            }),
            "the rule has 1048577 results; it must have at most 262145");
  EXPECT_EQ(said([&] { (void)steps_of(same, {0, 1 << 18}); }), "not refused");
  EXPECT_EQ(said([&] {
              (void)steps_of(same, {1, 0});
            }),
            "the range of accumulators [1, 0] is empty; give at least one");
  EXPECT_EQ(said([&] { (void)steps_of(same, {1, 1}); }), "not refused");
  EXPECT_EQ(said([&] {
              (void)apart(steps_of(same, {0, 3}), steps_of(same, {0, 4}));
            }),
            "the rules are over [0, 3] and [0, 4]; give both the same accumulators");
}

TEST(StepsOfRules, OfEveryNthAccumulator) {
  std::mt19937_64 random(test::rotating_seed());
  int empty = 0;
  for (int n = 0; n < 200; ++n) {
    const auto lo = static_cast<std::int64_t>(random() % 60) - 30;
    const Interval all{lo, lo + static_cast<std::int64_t>(random() % 60)};
    const auto rule = any_rule(random);
    const Steps steps = steps_of(rule, all);
    const int bits = static_cast<int>(random() % 4);
    for (std::int64_t low = 0; low < 1 << bits; ++low) {
      const auto some = every(steps, bits, low);
      std::int64_t reached = 0;
      for (auto at = lo; at <= static_cast<std::int64_t>(all.hi); ++at) {
        if ((at & ((1 << bits) - 1)) != low) continue;
        ++reached;
        ASSERT_TRUE(some);
        ASSERT_EQ(some->at(at >> bits), rule(at));
      }
      if (some) {
        EXPECT_EQ(some->reachable.span() + 1, reached);
        EXPECT_EQ(*some, steps_of([&](std::int64_t h) { return rule((h << bits) + low); },
                                  some->reachable));
      }
      empty += some ? 0 : 1;
    }
  }
  EXPECT_GT(empty, 0);
}

}  // namespace
}  // namespace kumiki::gen::arith::steps_test
