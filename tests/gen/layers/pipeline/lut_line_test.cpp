// SPDX-License-Identifier: Apache-2.0
// A word times a constant plus a constant on carry chains: every short factor, what a few cost.
#include "gen/operators/conv/lut_line.h"

#include <gtest/gtest.h>

namespace kumiki::gen::pipeline::lut_line_test {
namespace {

using arith::Interval;

LutLine line_of(std::int64_t factor, const Interval& offsets, const Interval& words) {
  return cheapest({{.factor = factor, .shift = 0, .offsets = offsets}}, words);
}

std::int64_t value_of(const LutLine& line, std::int64_t word) {
  std::vector<std::int64_t> x{word};
  if (line.offset != 0) x.push_back(static_cast<std::int64_t>(line.network.nodes[1].range.lo));
  return const_matrix::evaluate(line.network, x)[0];
}

TEST(LutLine, EveryShortFactorWithAndWithoutAnOffset) {
  const Interval words{-100, 155};
  for (std::int64_t factor = 1; factor < 3000; factor += 2)
    for (const std::int64_t offset : {0, 1, -640, 12345}) {
      const LutLine line = line_of(factor, Interval::point(offset), words);
      for (const std::int64_t word : {-100, -1, 0, 1, 77, 155})
        ASSERT_EQ(value_of(line, word), factor * word + offset) << factor << " " << offset;
    }
}

// Bits below the second lowest operand pass by.
TEST(LutLine, CostsWhatItsChainsAre) {
  const Interval byte{0, 255};
  EXPECT_EQ(sites(line_of(1, {0, 0}, byte).network), 0);
  EXPECT_EQ(sites(line_of(1, {1, 1}, byte).network), 9);          // up to 256
  EXPECT_EQ(sites(line_of(3, {0, 0}, byte).network), 9);          // up to 765, bit 0 passes
  EXPECT_EQ(sites(line_of(5, {4, 4}, byte).network), 9);          // up to 1279, two bits pass
  EXPECT_EQ(line_of(45, {0, 0}, byte).network.nodes.size(), 3U);  // 5 times 9
  EXPECT_EQ(sites(line_of(21, {0, 0}, byte).network), 11);        // 1 + 4 + 16 in one chain
}

// 1000 to 1100 has 1024 in it, whose bits are zeros up to the tenth.
TEST(LutLine, TakesTheOffsetWithTheMostZerosAndTheCheapestLine) {
  EXPECT_EQ(line_of(3, {1000, 1100}, {0, 255}).offset, 1024);
  EXPECT_EQ(line_of(3, {-9, 5}, {0, 255}).offset, 0);
  EXPECT_EQ(cheapest({{.factor = 171, .shift = 9, .offsets = {0, 0}},
                      {.factor = 257, .shift = 9, .offsets = {0, 0}}},
                     {0, 255})
                .factor,
            257);
}

}  // namespace
}  // namespace kumiki::gen::pipeline::lut_line_test
