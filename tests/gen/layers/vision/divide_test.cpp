// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/divide.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "gen/layers/vision/stages.h"
#include "ir/error.h"

namespace kumiki::gen::vision {
namespace vision_divide_test {

TEST(Divide, RoundsAsItSays) {
  EXPECT_EQ(divided(7, 2, Rounding::down), 3);
  EXPECT_EQ(divided(7, 2, Rounding::half_up), 4);
  EXPECT_EQ(divided(-7, 2, Rounding::half_up), -3);
  EXPECT_EQ(divided(-7, 2, Rounding::down), -4);
  EXPECT_EQ(divided(5, 2, Rounding::half_even), 2);
  EXPECT_EQ(divided(7, 2, Rounding::half_even), 4);
  EXPECT_EQ(divided(-5, 2, Rounding::half_even), -2);
  EXPECT_EQ(divided(-1, 3, Rounding::half_up), 0);
  EXPECT_EQ(divided(-2, 3, Rounding::half_up), -1);
}

TEST(Divide, EveryBoxIsDividedExactlyByAMultiplication) {
  for (const int size : {3, 5, 7, 9, 11})
    for (const Rounding rounding : {Rounding::down, Rounding::half_up, Rounding::half_even}) {
      const std::int64_t n = size * size, highest = n * 255;
      const Scale scale =
          division(n, rounding, {.bits = 16, .is_signed = false, .range = {{0, highest}}});
      for (std::int64_t x = 0; x <= highest; ++x)
        ASSERT_EQ(scaled(x, scale), divided(x, n, rounding)) << x << " / " << n;
    }
}

// Their sums take multipliers of more than the 18 bits that a slice has for them.
TEST(Divide, EveryBoxOfEveryWidthIsPlanned) {
  for (const int size : {3, 5, 7, 9, 11})
    for (int bits = 1; bits <= 16; ++bits)
      for (const bool is_signed : {false, true}) {
        Request request{.width = 16, .height = 16, .bits = bits, .is_signed = is_signed};
        request.stages.push_back({.kernel = StageKind::box, .size = size});
        EXPECT_NO_THROW(make_pipeline(request, {}))
            << size << " x " << size << " of " << bits << " bits";
      }
}

// Floors and ties below zero as above; to even where there are no ties.
TEST(Divide, SignedValuesToo) {
  for (std::int64_t n = 3; n <= 30; ++n)
    for (const Rounding rounding : {Rounding::down, Rounding::half_up, Rounding::half_even}) {
      if (std::has_single_bit(static_cast<std::uint64_t>(n))) continue;
      const packing::OperandFormat format{.bits = 12, .is_signed = true, .range = {{-1404, 1401}}};
      if (rounding == Rounding::half_even && n % 2 == 0) {
        EXPECT_THROW(division(n, rounding, format), DesignError) << n;
        continue;
      }
      const Scale scale = division(n, rounding, format);
      for (std::int64_t x = -1404; x <= 1401; ++x)
        ASSERT_EQ(scaled(x, scale), divided(x, n, rounding)) << x << " / " << n;
    }
}

TEST(Divide, APowerOfTwoIsAShift) {
  for (int shift = 0; shift <= 12; ++shift) {
    const Scale scale = division(std::int64_t{1} << shift, Rounding::half_up, {.bits = 16});
    EXPECT_EQ(scale.multiplier, 1);
    EXPECT_EQ(scale.shift, shift);
  }
}

// However many values there are; other divisors have a limit, which says so of itself.
TEST(Divide, APowerOfTwoDividesAnything) {
  const packing::OperandFormat wide{.bits = 30, .is_signed = true};
  EXPECT_EQ(division(65536, Rounding::half_even, wide).shift, 16);
  try {
    division(65535, Rounding::half_even, wide);
    FAIL() << "divided";
  } catch (const DesignError& e) {
    EXPECT_STREQ(e.what(),
                 "S30 has too many values to be divided by 65535; powers of two divide any number "
                 "of them");
  }
}

}  // namespace vision_divide_test
}  // namespace kumiki::gen::vision
