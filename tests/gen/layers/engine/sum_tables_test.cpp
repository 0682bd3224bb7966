// SPDX-License-Identifier: Apache-2.0
// Two tables give onnxruntime's sum of every pair of numbers.
#include "gen/layers/engine/hardware/sum_tables.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backends/support/random.h"
#include "gen/layers/engine/run.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::sum_tables_test {

Second second_of(std::array<float, 3> scales, std::array<int, 3> zero_points, bool is_signed,
                 bool is_first) {
  const auto tensor = [&](std::size_t i) {
    graph::Tensor t;
    t.format = {8, is_signed};
    t.scale = scales[i];
    t.zero_point = zero_points[i];
    return t;
  };
  return {.is_first = is_first, .fresh = tensor(0), .other = tensor(1), .result = tensor(2)};
}

void expect_all_pairs(const Second& second) {
  const auto tables = sum_tables(second);
  ASSERT_TRUE(tables) << std::hexfloat << second.fresh.scale << " " << second.other.scale << " "
                      << second.result.scale;
  int wrong = 0;
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b) {
      const std::int64_t sum = std::int64_t{tables->fresh[static_cast<std::uint8_t>(a)]} +
                               tables->other[static_cast<std::uint8_t>(b)];
      EXPECT_LT(std::abs(sum), std::int64_t{1} << (SumTables::bits - 1));
      wrong += stored_sum(sum, tables->ties_to_even) !=
               stored_result(second, static_cast<std::int8_t>(a), static_cast<std::int8_t>(b));
    }
  EXPECT_EQ(wrong, 0) << std::hexfloat << second.fresh.scale << " " << second.other.scale << " "
                      << second.result.scale;
}

TEST(SumTables, RandomScales) {
  backends::lockstep::Random random(test::rotating_seed(), "scales");
  const auto scale = [&](double low, double high) {
    const double at = static_cast<double>(random.below(1 << 20)) / (1 << 20);
    return static_cast<float>(std::exp(low + (high - low) * at));
  };
  for (int i = test::long_form() ? 500 : 24; i > 0; --i) {
    const bool is_signed = random.below(2) == 0;
    const auto zero = [&] { return static_cast<int>(random.below(256)) - (is_signed ? 128 : 0); };
    const float result = scale(-6, 0);
    expect_all_pairs(second_of({result * scale(-2.5, 0.7), result * scale(-2.5, 0.7), result},
                               {zero(), zero(), zero()}, is_signed, random.below(2) == 0));
  }
}

// Half of the pairs lie exactly between two numbers.
TEST(SumTables, TiesGoToTheEvenNumber) {
  for (const auto& [a, b] : {std::pair{0.5F, 0.5F}, {1.0F, 0.5F}, {0.25F, 0.75F}, {1.5F, 0.125F}}) {
    const Second second = second_of({a, b, 1}, {3, -7, 1}, true, true);
    EXPECT_TRUE(sum_tables(second).value().ties_to_even);
    expect_all_pairs(second);
  }
  EXPECT_FALSE(sum_tables(second_of({1, 1, 1}, {0, 0, 0}, true, true)).value().ties_to_even);
}

// 13/15 times a number is as near to a tie as float32 can be, and rounds to either side of it.
TEST(SumTables, RefusesWhatNoTablesGive) {
  EXPECT_FALSE(sum_tables(
      second_of({0x1.236ea8p-4F, 0x1.45c276p+0F, 0x1.50449ap-4F}, {0, 0, 0}, true, true)));
}

}  // namespace kumiki::gen::engine::sum_tables_test
