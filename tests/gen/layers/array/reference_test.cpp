// SPDX-License-Identifier: Apache-2.0
// The reference against values made by hand, and against a second formulation: output by output,
// on a padded copy of the map.
#include "gen/layers/array/reference.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace kumiki::gen::array {
namespace array_reference_test {

LayerJob conv(const ConvShape& s, std::vector<std::int32_t> weights) {
  return {.shape = {.name = "c", .kind = Kind::conv, .conv = s},
          .weights = Weights(std::move(weights))};
}
Tensor map(const MapShape& shape, std::vector<std::int32_t> values) {
  Tensor t(shape);
  t.values = std::move(values);
  return t;
}

TEST(ArrayReference, AConvolutionByHand) {
  // 1 2 3
  // 4 5 6   times   1 -1
  // 7 8 9           2  0
  const LayerJob job = conv({.height = 3, .width = 3, .kernel = 2}, {1, -1, 2, 0});
  EXPECT_EQ(accumulate(job, map({1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})),
            (std::vector<std::int64_t>{7, 9, 13, 15}));
}

TEST(ArrayReference, StrideDilationAndPaddingByHand) {
  // A column of zeros before, none after; taps two apart; every third output.
  const LayerJob job = conv(
      {.height = 1, .width = 6, .kernel = 1, .stride = 3, .padding_before = 1, .padding_after = 1},
      {5});
  // The only output row sees row -1: padding.
  EXPECT_EQ(accumulate(job, map({1, 1, 6}, {1, 2, 3, 4, 5, 6})),
            (std::vector<std::int64_t>{0, 0, 0}));
  const LayerJob wide =
      conv({.height = 3, .width = 4, .kernel = 2, .dilation = 2, .padding_before = 1},
           {1, 10, 100, 1000});
  // Top row: only taps of the lower row, of rows 1. Bottom row: rows 0 and 2.
  EXPECT_EQ(accumulate(wide, map({1, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3})),
            (std::vector<std::int64_t>{6000, 7500, 8600, 1020, 2931, 3142}));
}

TEST(ArrayReference, NeuronsByHand) {
  const LayerJob job{.shape = {.name = "f", .kind = Kind::fc, .fc = {3, 2}},
                     .weights = Weights(std::vector<std::int32_t>{1, 2, 3, -1, 0, 1})};
  EXPECT_EQ(accumulate(job, map({3, 1, 1}, {10, 20, 30})), (std::vector<std::int64_t>{140, 20}));
}

TEST(ArrayReference, RequantisationByHand) {
  const Arithmetic a{};
  // 100 / 8 = 12.5: half goes up; so it does below zero.
  EXPECT_EQ(requantise(100, 0, 1, 3, false, a), 13);
  EXPECT_EQ(requantise(-100, 0, 1, 3, false, a), -12);
  EXPECT_EQ(requantise(99, 1, 1, 3, false, a), 13);
  EXPECT_EQ(requantise(-100, 0, 1, 3, true, a), 0);
  EXPECT_EQ(requantise(127 * 2, 0, 1, 1, false, a), 127);
  EXPECT_EQ(requantise(128 * 2, 0, 1, 1, false, a), 127);
  EXPECT_EQ(requantise(-129 * 2, 0, 1, 1, false, a), -128);
  EXPECT_EQ(requantise(1 << 20, 0, 65535, 30, false, a), 64);
  EXPECT_EQ(requantise(1000, 0, 0, 1, false, a), 0);
  // Sums are modulo 2^32: 2^31 is -2^31.
  EXPECT_EQ(requantise((std::int64_t{1} << 31) - 1, 1, 1, 1, false, a), -128);
  EXPECT_EQ(
      requantise((std::int64_t{1} << 31) - 1, 1, 1, 1, false, {.data_bits = 8, .sum_bits = 48}),
      127);
  // No multiplier; 20 bits.
  EXPECT_EQ(
      requantise(1 << 20, 0, 7, 3, false, {.data_bits = 20, .sum_bits = 48, .multiplies = false}),
      1 << 17);
}

TEST(ArrayReference, PoolingByHand) {
  const Tensor in = map({1, 4, 5}, {1,  -2, 3, 40, 5,   //
                                    -6, 70, 8, 9,  10,  //
                                    11, 12, 1, 2,  3,   //
                                    4,  5,  6, 7,  8});
  LayerJob job = conv({.height = 4, .width = 5}, {2});
  auto pooled = [&](PoolKind kind, int size) {
    job.pool = {kind, size};
    return reference(job, in, {}).values;
  };
  // The default halves what the weight doubles.
  EXPECT_EQ(pooled(PoolKind::max, 2), (std::vector<std::int32_t>{70, 40, 12, 7}));
  EXPECT_EQ(pooled(PoolKind::average, 2), (std::vector<std::int32_t>{63, 60, 32, 16}));
  EXPECT_EQ(pooled(PoolKind::max, 3), (std::vector<std::int32_t>{70, 40}));
  EXPECT_EQ(pooled(PoolKind::average, 3), (std::vector<std::int32_t>{98, 81}));
}

TEST(ArrayReference, BoundsAreReached) {
  const LayerJob job = conv({.in_channels = 2, .height = 1, .width = 1}, {3, -5});
  const Bounds b = bounds(job, 0, 8);
  EXPECT_EQ(b.most, 3 * 127 + 5 * 128);
  EXPECT_EQ(b.least, -3 * 128 - 5 * 127);
  const Bounds partial = bounds(job, 0, 8, 2);
  EXPECT_EQ(partial.most, 5 * 128);
  EXPECT_EQ(partial.least, -5 * 127);
}

// Output by output on a padded map.
std::int64_t naive(const LayerJob& job, const Tensor& in, std::int64_t o, std::int64_t y,
                   std::int64_t x) {
  const ConvShape& s = job.shape.conv;
  const std::int64_t columns_before = s.padding_left ? *s.padding_left : s.padding_before;
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < s.group_in(); ++i)
    for (std::int64_t r = 0; r < s.kernel; ++r)
      for (std::int64_t c = 0; c < s.kernel; ++c) {
        const std::int64_t row = y * s.stride + r * s.dilation - s.padding_before;
        const std::int64_t column = x * s.stride + c * s.dilation - columns_before;
        const bool inside = row >= 0 && row < s.height && column >= 0 && column < s.width;
        const std::int64_t pixel =
            inside ? in.at(o / s.group_out() * s.group_in() + i, row, column) : 0;
        sum += pixel * job.weights[((o * s.group_in() + i) * s.kernel + r) * s.kernel + c];
      }
  return sum;
}

RC_GTEST_PROP(ArrayReference, OutputByOutput, ()) {
  const auto number = [](std::int64_t low, std::int64_t high) {
    return *rc::gen::inRange<std::int64_t>(low, high + 1);
  };
  ConvShape s{.height = number(1, 12),
              .width = number(1, 12),
              .kernel = number(1, 11),
              .stride = number(1, 4),
              .dilation = number(1, 2),
              .groups = number(1, 3),
              .padding_before = number(0, 10),
              .padding_after = number(0, 10)};
  if (number(0, 1) == 0) s.padding_left = number(0, 10);
  if (number(0, 1) == 0) s.padding_right = number(0, 10);
  s.in_channels = s.groups * number(1, 3);
  s.out_channels = s.groups * number(1, 3);
  RC_PRE(s.out_height() >= 1 && s.out_width() >= 1);
  LayerJob job{.shape = {.name = "c", .kind = Kind::conv, .conv = s},
               .weights = Weights(static_cast<std::uint64_t>(number(0, 1000)), 8)};
  const Tensor in = random_tensor(job.in_shape(), 7, 8);
  const auto sums = accumulate(job, in);
  std::size_t i = 0;
  for (std::int64_t o = 0; o < s.out_channels; ++o) {
    const Bounds b = bounds(job, o, 8);
    for (std::int64_t y = 0; y < s.out_height(); ++y)
      for (std::int64_t x = 0; x < s.out_width(); ++x, ++i) {
        RC_ASSERT(sums[i] == naive(job, in, o, y, x));
        RC_ASSERT(sums[i] >= b.least && sums[i] <= b.most);
      }
  }
}

TEST(ArrayReference, RandomNumbersHaveTheirBits) {
  for (const int bits : {2, 8, 18, 27, 31}) {
    std::int32_t least = 0, most = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
      least = std::min(least, random_number(3, i, bits));
      most = std::max(most, random_number(3, i, bits));
    }
    const std::int32_t limit = 1 << (bits - 1);
    EXPECT_GE(least, -limit);
    EXPECT_LT(most, limit);
    EXPECT_LT(least, -limit / 10 * 9);
    EXPECT_GT(most, limit / 10 * 9);
  }
}

}  // namespace array_reference_test
}  // namespace kumiki::gen::array
