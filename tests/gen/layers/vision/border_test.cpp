// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/border.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kumiki::gen::vision {
namespace vision_border_test {

// The picture written out far past both ends, the way the rules are explained.
std::vector<int> continued(Border border, int length, int margin) {
  std::vector<int> all;
  for (int i = -margin; i < length + margin; ++i) {
    int at = i;
    if (border == Border::reflect) {
      // 0 1 2 3 2 1 0 1 2 3 …: a walk up and down.
      int here = 0, step = 1;
      for (int k = 0; k < std::abs(i) && length > 1; ++k) {
        if (here + step < 0 || here + step >= length) step = -step;
        here += step;
      }
      at = here;
    } else {
      at = std::clamp(i, 0, length - 1);
    }
    all.push_back(at);
  }
  return all;
}

TEST(Border, ContinuesAPictureAsItIsDrawn) {
  constexpr int margin = 11;
  for (const Border border : {Border::replicate, Border::reflect})
    for (int length = 1; length <= 12; ++length) {
      const auto whole = continued(border, length, margin);
      for (int x = 0; x < length; ++x)
        for (int offset = -margin + length; offset <= margin; ++offset) {
          if (x + offset < -margin || x + offset >= length + margin) continue;
          const auto source = border_source(border, offset, x, length - 1 - x);
          ASSERT_TRUE(source);
          EXPECT_EQ(x + *source, whole[static_cast<std::size_t>(x + offset + margin)])
              << length << " pixels, " << x << " + " << offset;
        }
    }
}

TEST(Border, AConstantStandsForWhatIsOutside) {
  EXPECT_EQ(border_source(Border::constant, -2, 1, 5), std::nullopt);
  EXPECT_EQ(border_source(Border::constant, -2, 2, 5), -2);
  EXPECT_EQ(border_source(Border::constant, 6, 2, 5), std::nullopt);
}

TEST(Border, MorePixelsThanTheRadiusChangeNothing) {
  for (const Border border : {Border::replicate, Border::reflect, Border::constant})
    for (int radius = 1; radius <= 5; ++radius)
      for (int before = 0; before <= 9; ++before)
        for (int after = 0; after <= 9; ++after)
          for (int offset = -radius; offset <= radius; ++offset)
            EXPECT_EQ(
                border_source(border, offset, before, after),
                border_source(border, offset, std::min(before, radius), std::min(after, radius)));
}

TEST(Border, SourcesAreAllThatOccur) {
  EXPECT_EQ(border_sources(Border::replicate, 0, 2), (std::vector<std::optional<int>>{0}));
  EXPECT_EQ(border_sources(Border::replicate, -1, 1), (std::vector<std::optional<int>>{-1, 0}));
  EXPECT_EQ(border_sources(Border::constant, 1, 1),
            (std::vector<std::optional<int>>{1, std::nullopt}));
}

}  // namespace vision_border_test
}  // namespace kumiki::gen::vision
