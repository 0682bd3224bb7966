// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace kumiki::gen::arith {
namespace arith_format_test {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

constexpr std::uint64_t all_ones = ~std::uint64_t{0};
constexpr std::uint64_t top_one = std::uint64_t{1} << 63;

TEST(Format, EveryNumberOfSmallWidthsGoesThereAndBack) {
  for (int bits = 1; bits <= 10; ++bits)
    for (const bool is_signed : {false, true}) {
      const Format format{bits, is_signed};
      const auto lo = static_cast<std::int64_t>(format.range().lo);
      const auto hi = static_cast<std::int64_t>(format.range().hi);
      const std::uint64_t count = std::uint64_t{1} << bits;
      ASSERT_EQ(static_cast<std::uint64_t>(hi - lo) + 1, count) << to_string(format);
      for (std::int64_t v = lo; v <= hi; ++v) {
        const std::uint64_t raw = raw_of(v, format);
        ASSERT_LT(raw, count) << to_string(format);
        ASSERT_EQ(raw, static_cast<std::uint64_t>(v < 0 ? v + (hi - lo + 1) : v));
        ASSERT_EQ(value_of(raw, format), v) << to_string(format);
      }
    }
}

TEST(Format, OneBitIsASignOrNot) {
  EXPECT_EQ(value_of(1, {1, true}), -1);
  EXPECT_EQ(value_of(1, {1, false}), 1);
  EXPECT_EQ(value_of(0, {1, true}), 0);
  EXPECT_EQ(raw_of(-1, 1), 1u);
  EXPECT_EQ((Format{1, true}.range()), (Interval{-1, 0}));
  EXPECT_EQ((Format{1, false}.range()), (Interval{0, 1}));
}

TEST(Format, WordsThatAreAsWideAsTheMachine) {
  EXPECT_EQ(value_of(all_ones, {64, true}), -1);
  EXPECT_EQ(value_of(top_one, {64, true}), lowest);
  EXPECT_EQ(value_of(top_one - 1, {64, true}), highest);
  EXPECT_EQ(raw_of(lowest, 64), top_one);
  EXPECT_EQ(raw_of(-1, 64), all_ones);
  EXPECT_EQ((Format{64, true}.range()), (Interval{lowest, highest}));
  EXPECT_EQ((Format{64, false}.range()), (Interval{0, Exact{all_ones}}));

  EXPECT_EQ(value_of(all_ones >> 1, {63, true}), -1);
  EXPECT_EQ(value_of(top_one >> 1, {63, true}), lowest / 2);
  EXPECT_EQ(value_of(all_ones >> 1, {63, false}), highest);
  EXPECT_EQ(raw_of(lowest / 2, 63), top_one >> 1);
  EXPECT_EQ(raw_of(-1, 63), all_ones >> 1);
}

TEST(Format, LowestAndHighestOfEveryWidth) {
  for (int bits = 1; bits <= 64; ++bits) {
    const Format format{bits, true};
    const Interval all = format.range();
    for (const Exact end : {all.lo, all.hi}) {
      const auto v = static_cast<std::int64_t>(end);
      EXPECT_EQ(value_of(raw_of(v, format), format), v) << bits;
    }
    EXPECT_EQ(raw_of(static_cast<std::int64_t>(all.lo), bits), std::uint64_t{1} << (bits - 1));
  }
}

TEST(Format, WhatIsAboveTheBitsIsCutOff) {
  EXPECT_EQ(value_of(0x1f8, {8, true}), -8);
  EXPECT_EQ(value_of(0x1f8, {8, false}), 0xf8);
  EXPECT_EQ(value_of(all_ones << 4, {4, true}), 0);
  EXPECT_EQ(raw_of(0x1f8, 8), 0xf8u);
  EXPECT_EQ(raw_of(-9, 3), 7u);
  EXPECT_EQ(raw_of(-1, 0), 0u);      // a word without a bit
  EXPECT_EQ(raw_of(-1, 8u), 0xffu);  // widths of nets have no sign
}

TEST(Format, ComparesAndPrints) {
  EXPECT_EQ((Format{8, true}), Format{});
  EXPECT_NE((Format{8, true}), (Format{8, false}));
  EXPECT_NE((Format{8, true}), (Format{9, true}));
  EXPECT_EQ(to_string(Format{8, true}), "S8");
  EXPECT_EQ(to_string(Format{4, false}), "U4");
}

}  // namespace arith_format_test
}  // namespace kumiki::gen::arith
