// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/presets.h"

#include <gtest/gtest.h>

#include <numeric>

#include "ir/error.h"

namespace kumiki::gen::vision {
namespace vision_presets_test {

using Row = std::vector<std::int64_t>;

Row only(Preset preset, int size) {
  return preset_kernels(preset, size).kernels.at(0).coefficients;
}

TEST(Presets, AreTheKernelsOfTheBooks) {
  EXPECT_EQ(only(Preset::gaussian, 3), (Row{1, 2, 1, 2, 4, 2, 1, 2, 1}));
  EXPECT_EQ(only(Preset::sobel_x, 3), (Row{-1, 0, 1, -2, 0, 2, -1, 0, 1}));
  EXPECT_EQ(only(Preset::sobel_y, 3), (Row{-1, -2, -1, 0, 0, 0, 1, 2, 1}));
  EXPECT_EQ(only(Preset::scharr_x, 3), (Row{-3, 0, 3, -10, 0, 10, -3, 0, 3}));
  EXPECT_EQ(only(Preset::laplacian, 3), (Row{0, 1, 0, 1, -4, 1, 0, 1, 0}));
  const Row five = only(Preset::gaussian, 5);
  EXPECT_EQ(Row(five.begin() + 10, five.begin() + 15), (Row{6, 24, 36, 24, 6}));
  const Row sobel5 = only(Preset::sobel_x, 5);
  EXPECT_EQ(Row(sobel5.begin(), sobel5.begin() + 5), (Row{-1, -2, 0, 2, 1}));
}

TEST(Presets, SumToTheirDivisorOrToNothing) {
  for (const int size : {3, 5, 7}) {
    for (const Preset smooth : {Preset::box, Preset::gaussian}) {
      const auto k = preset_kernels(smooth, size);
      const Row& c = k.kernels[0].coefficients;
      EXPECT_EQ(std::accumulate(c.begin(), c.end(), std::int64_t{0}), k.divisor);
    }
    for (const auto& kernel : preset_kernels(Preset::sobel, size).kernels)
      EXPECT_EQ(
          std::accumulate(kernel.coefficients.begin(), kernel.coefficients.end(), std::int64_t{0}),
          0);
  }
}

TEST(Presets, FitEightBits) {
  for (const int size : {3, 5, 7})
    for (const Preset p : {Preset::gaussian, Preset::sobel})
      for (const auto& kernel : preset_kernels(p, size).kernels)
        for (const auto c : kernel.coefficients) {
          EXPECT_GE(c, -128);
          EXPECT_LE(c, 127);
        }
}

TEST(Presets, RefuseSizesThatTheyDoNotHave) {
  EXPECT_THROW(preset_kernels(Preset::scharr, 5), DesignError);
  EXPECT_THROW(preset_kernels(Preset::gaussian, 9), DesignError);
  EXPECT_THROW(preset_kernels(Preset::sharpen, 5), DesignError);
}

TEST(Separation, IsFoundExactlyWhereThereIsOne) {
  Separation s;
  // Every 3 x 3 kernel of -1, 0 and 1: one that is a product has rank 1.
  int found = 0, products = 0;
  for (int code = 0; code < 19683; ++code) {
    Kernel k{3, {}};
    for (int i = 0, c = code; i < 9; ++i, c /= 3) k.coefficients.push_back(c % 3 - 1);
    bool rank_one = true, some = false;
    const auto at = [&](int r, int c) {
      return k.coefficients[static_cast<std::size_t>(3 * r + c)];
    };
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        some |= at(r, c) != 0;
        for (int r2 = 0; r2 < 3; ++r2)
          for (int c2 = 0; c2 < 3; ++c2) rank_one &= at(r, c) * at(r2, c2) == at(r, c2) * at(r2, c);
      }
    products += rank_one && some;
    if (!separate(k, s)) continue;
    ++found;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(
            s.vertical[static_cast<std::size_t>(r)] * s.horizontal[static_cast<std::size_t>(c)],
            at(r, c));
  }
  EXPECT_EQ(found, products);
  EXPECT_EQ(found, 13 * 26);  // a row up to its sign, a column that is not 0
}

TEST(Separation, TakesTheCommonFactorOutOfTheRow) {
  Separation s;
  ASSERT_TRUE(separate({3, {4, 8, 4, 8, 16, 8, 6, 12, 6}}, s));
  EXPECT_EQ(s.horizontal, (Row{1, 2, 1}));
  EXPECT_EQ(s.vertical, (Row{4, 8, 6}));
}

}  // namespace vision_presets_test
}  // namespace kumiki::gen::vision
