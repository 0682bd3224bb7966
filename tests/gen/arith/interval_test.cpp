// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/interval.h"

#include <gtest/gtest.h>

#include "gen/arith/certificate.h"

namespace kumiki::gen::arith {
namespace arith_interval_test {

TEST(Interval, ArithmeticIsTheHullOfAllPairs) {
  for (int a = -4; a <= 4; ++a)
    for (int b = a; b <= 4; ++b)
      for (int c = -4; c <= 4; ++c)
        for (int d = c; d <= 4; ++d) {
          Interval sum = Interval::point(a + c);
          Interval difference = Interval::point(a - c);
          Interval product = Interval::point(a * c);
          for (int x = a; x <= b; ++x)
            for (int y = c; y <= d; ++y) {
              sum = hull(sum, Interval::point(x + y));
              difference = hull(difference, Interval::point(x - y));
              product = hull(product, Interval::point(x * y));
            }
          const Interval p{a, b};
          const Interval q{c, d};
          EXPECT_EQ(p + q, sum);
          EXPECT_EQ(p - q, difference);
          EXPECT_EQ(p * q, product);
        }
}

TEST(Interval, Widths) {
  EXPECT_EQ(signed_bits({0, 0}), 1);
  EXPECT_EQ(signed_bits({-1, 0}), 1);
  EXPECT_EQ(signed_bits({-130048, 131071}), 18);
  EXPECT_EQ(signed_bits({-130048, 131072}), 19);
  EXPECT_EQ(bits_for_count(1), 0);
  EXPECT_EQ(bits_for_count(256), 8);
  EXPECT_EQ(bits_for_count(257), 9);
  EXPECT_EQ(floor_div(-7, 2), -4);
  EXPECT_EQ(floor_div(7, 2), 3);
  EXPECT_EQ(floor_div(-8, 2), -4);
}

TEST(Interval, OverflowThrowsInsteadOfWrapping) {
  const Interval huge{-power_of_two(120), power_of_two(120)};
  EXPECT_THROW(huge * huge, std::overflow_error);
  Interval sum = huge;
  EXPECT_THROW(for (int i = 0; i < 200; ++i) sum = sum + sum, std::overflow_error);
  EXPECT_THROW(power_of_two(127), std::overflow_error);
  EXPECT_THROW(power_of_two(-1), std::overflow_error);
}

TEST(Interval, PrintsAll128Bits) {
  EXPECT_EQ(to_string(Interval{-3, 7}), "[-3, 7]");
  EXPECT_EQ(to_string(Interval::point(0)), "0");
  EXPECT_EQ(to_string(-power_of_two(126) * 2), "-170141183460469231731687303715884105728");
  EXPECT_EQ(to_string(power_of_two(64)), "18446744073709551616");
}

TEST(Certificate, KeepsWhatHoldsAndWhatDoesNot) {
  Certificate proof;
  EXPECT_TRUE(proof.within("word", {-2, 1}, signed_range(2)));
  EXPECT_TRUE(proof.holds());
  EXPECT_FALSE(proof.at_most("terms", 8, 7, "7 terms"));
  EXPECT_TRUE(proof.equals("bits", 27, 27));
  EXPECT_FALSE(proof.holds());
  EXPECT_EQ(proof.first_broken()->name, "terms");
  EXPECT_EQ(to_string(proof.statements()[0]), "word: [-2, 1] within [-2, 1]");
  EXPECT_EQ(to_string(proof.statements()[1]), "terms: 8 not at most 7");
  EXPECT_EQ(to_string(proof.statements()[2]), "bits: 27 equals 27");
}

}  // namespace arith_interval_test
}  // namespace kumiki::gen::arith
