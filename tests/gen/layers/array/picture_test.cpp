// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace kumiki::gen::array {
namespace array_picture_test {

using ::testing::HasSubstr;
using ::testing::Not;

ArrayPlan of(int rows, int columns, int split, int bits = 8) {
  return plan({.rows = rows,
               .columns = columns,
               .accumulators = 4,
               .data_bits = bits,
               .coefficient_bits = bits,
               .split = split});
}

TEST(ArrayMap, RowsThatLookAlikeAreOneLine) {
  EXPECT_EQ(map_text(of(3, 4, 1)), "  rows   0 to   2  AA AA\n");
  EXPECT_EQ(map_text(of(2, 3, 1, 12)), "  rows   0 to   1  A A A\n");
  EXPECT_EQ(map_text(of(4, 4, 2)),
            "  rows   0 to   1  AA BB\n"
            "  rows   2 to   3  CC DD\n");
}

// No part divides a pair: what is left over idles.
TEST(ArrayMap, WhatIsInNoPartIsADot) {
  EXPECT_EQ(map_text(of(4, 5, 2)),
            "  rows   0 to   1  AA BB .\n"
            "  rows   2 to   3  CC DD .\n");
  const std::string odd = map_text(of(7, 7, 2));
  const ArrayPlan p = of(7, 7, 2);
  for (int w = 0; w < p.commons(); ++w)
    EXPECT_THAT(odd, HasSubstr(std::string(1, static_cast<char>('A' + w))));
  EXPECT_THAT(odd, HasSubstr(". "));
}

TEST(ArrayMap, AVeryWideRowIsCutShort) { EXPECT_THAT(map_text(of(2, 100, 1)), HasSubstr(" …\n")); }

long count(const std::string& text, const std::string& what) {
  const std::regex r(what);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), r), std::sregex_iterator());
}

TEST(ArrayMap, ThePictureHasEveryBankAndPart) {
  for (const ArrayPlan& p : {of(3, 4, 1), of(4, 5, 2), of(7, 7, 2), of(27, 27, 2)}) {
    const std::string svg = map_svg(p);
    EXPECT_EQ(svg, map_svg(p));
    EXPECT_EQ(count(svg, "<rect[^>]*width=\"40\""), p.banks()) << svg;
    if (p.commons() == 1)
      EXPECT_THAT(svg, Not(HasSubstr("word 0")));
    else
      EXPECT_EQ(count(svg, "[A-D]: word [0-3]<"), p.commons());
    EXPECT_THAT(svg, HasSubstr(std::to_string(p.slices()) + " DSP48E2"));
  }
}

// A line a row and a column, not a box an element.
TEST(ArrayMap, ALargeArrayIsASmallFile) { EXPECT_LT(map_svg(of(64, 64, 2)).size(), 20'000u); }

}  // namespace array_picture_test
}  // namespace kumiki::gen::array
