// SPDX-License-Identifier: Apache-2.0
// Convolutions of every shape, with vector instructions and without, beside their definition in 64
// bits.
#include "gen/kernels/convolution.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "gen/kernels/instructions.h"
#include "gen/operators/conv/meaning.h"
#include "tests/support/seed.h"

namespace kumiki::gen::kernels::convolution_test {
namespace {

using graph::Conv;
using graph::Ends;
using graph::Numbers;
using graph::Tensor;

struct Case {
  Conv conv;
  Tensor in, out;
  Numbers map;

  Ends ends() const { return {{&in}, &out}; }
};

Numbers by_definition(const Case& c) {
  const std::vector<arith::FloatRule> rules = graph::rules(c.conv, c.ends());
  const graph::Window& w = c.conv.window;
  const int channels = c.in.shape[0] / c.conv.groups, results = c.out.shape[0];
  Numbers all;
  for (int o = 0; o < results; ++o)
    for (int row = 0; row < c.out.shape[1]; ++row)
      for (int column = 0; column < c.out.shape[2]; ++column) {
        std::int64_t sum = c.conv.bias[std::size_t(o)];
        for (int i = 0; i < channels; ++i)
          for (int kr = 0; kr < w.kernel[0]; ++kr)
            for (int kc = 0; kc < w.kernel[1]; ++kc) {
              const int r = row * w.stride[0] - w.before[0] + kr * w.dilation[0];
              const int k = column * w.stride[1] - w.before[1] + kc * w.dilation[1];
              if (r < 0 || r >= c.in.shape[1] || k < 0 || k >= c.in.shape[2]) continue;
              const int channel = o / (results / c.conv.groups) * channels + i;
              const std::int64_t number =
                  c.map[std::size_t((channel * c.in.shape[1] + r) * c.in.shape[2] + k)];
              sum += (number - c.in.zero_point) *
                     c.conv.weights[std::size_t(
                         ((o * channels + i) * w.kernel[0] + kr) * w.kernel[1] + kc)];
            }
        EXPECT_EQ(sum, static_cast<std::int32_t>(sum));
        all.push_back(static_cast<std::int32_t>(
            requantised(rules[std::size_t(o)], static_cast<std::int32_t>(sum))));
      }
  return all;
}

Numbers computed(const graph::Compute& compute, const Case& c, unsigned threads) {
  Workers workers(threads);
  Numbers results(graph::count(c.out.shape), 12345);
  compute({c.map}, results, workers);
  return results;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  int number(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  bool one_in(int n) { return number(1, n) == 1; }

  // Numbers and weights of any size, or only the largest and smallest ones, of bytes or wider.
  Case drawn() {
    const bool is_depthwise = one_in(4);
    const int groups = is_depthwise ? number(1, 9) : one_in(3) ? number(2, 4) : 1;
    const int channels = groups * (is_depthwise ? 1 : number(1, 7));
    const int results = groups * (is_depthwise ? number(1, 2) : number(1, 20));
    return of({channels, number(1, 12), one_in(4) ? number(30, 70) : number(1, 20)}, results,
              groups, one_in(3));
  }

  Case of(const graph::Shape& in, int results, int groups, bool is_extreme, bool is_1x1 = false) {
    Case c;
    graph::Window& w = c.conv.window;
    graph::Shape out{results};
    for (const int axis : {0, 1}) {
      const auto a = std::size_t(axis);
      do {
        w.kernel[a] = is_1x1 ? 1 : number(1, 5);
        w.dilation[a] = one_in(3) ? number(1, 3) : 1;
        w.stride[a] = is_1x1 || one_in(2) ? 1 : number(1, 4);
        w.before[a] = is_1x1 || one_in(2) ? 0 : number(0, 4);
        w.after[a] = is_1x1 || one_in(2) ? 0 : number(0, 4);
      } while (w.reach(axis) > in[a + 1] + w.before[a] + w.after[a]);
      out.push_back(w.positions(axis, in[a + 1]));
    }
    c.in = tensor(in, one_in(3) ? number(1, 10) : 8);
    c.out = tensor(out, one_in(3) ? number(2, 16) : 8);
    c.conv.groups = groups;
    const int terms = in[0] / groups * w.taps();
    const bool are_bytes = one_in(2);
    const int lowest = are_bytes ? -128 : -256, highest = are_bytes ? 127 : 255;
    for (int i = 0; i < results * terms; ++i)
      c.conv.weights.push_back(static_cast<std::int16_t>(is_extreme ? (one_in(2) ? lowest : highest)
                                                                    : number(-128, 127)));
    for (int o = 0; o < results; ++o) {
      c.conv.bias.push_back(number(-100'000, 100'000));
      c.conv.scales.push_back(one_in(3) ? 0x1p-9F : static_cast<float>(number(1, 5000)) * 1e-6F);
    }
    const auto low = static_cast<int>(c.in.format.range().lo);
    const auto high = static_cast<int>(c.in.format.range().hi);
    for (std::size_t i = 0; i < graph::count(in); ++i)
      c.map.push_back(is_extreme ? (one_in(2) ? low : high) : number(low, high));
    return c;
  }

 private:
  Tensor tensor(const graph::Shape& shape, int bits) {
    Tensor t{.name = "t", .shape = shape, .format = {bits, one_in(2)}};
    const auto low = static_cast<int>(t.format.range().lo);
    const auto high = static_cast<int>(t.format.range().hi);
    t.zero_point = one_in(3) ? low : one_in(2) ? high : number(low, high);
    return t;
  }

  std::mt19937_64 random_;
};

using Bytes = std::vector<std::uint8_t>;
Bytes as_bytes(const Numbers& numbers, const Tensor& t) {
  Bytes bytes;
  for (const std::int32_t n : numbers)
    bytes.push_back(static_cast<std::uint8_t>(t.format.is_signed ? n + 128 : n));
  return bytes;
}

// With a map, results, or both as bytes. Returns whether both can be.
bool expect_equal_in_bytes(const Case& c, const Numbers& wanted) {
  const graph::Compute compute = computer(c.conv, c.ends());
  const Convolution* convolution = compute.convolution();
  if (!convolution) return false;
  EXPECT_EQ(convolution->results(), wanted.size());
  const Bytes map = convolution->takes_bytes() ? as_bytes(c.map, c.in) : Bytes();
  Numbers numbers(wanted.size(), 12345);
  Bytes bytes(wanted.size() + 1, 77);
  Workers workers(2);
  if (convolution->takes_bytes()) {
    convolution->run({.bytes = map.data()}, {.numbers = numbers.data()}, workers);
    EXPECT_EQ(numbers, wanted);
  }
  if (!convolution->gives_bytes()) return false;
  Bytes wanted_bytes = as_bytes(wanted, c.out);
  wanted_bytes.push_back(77);
  convolution->run({.numbers = c.map.data()}, {.bytes = bytes.data()}, workers);
  EXPECT_EQ(bytes, wanted_bytes);
  if (!convolution->takes_bytes()) return false;
  std::ranges::fill(bytes, std::uint8_t{77});
  convolution->run({.bytes = map.data()}, {.bytes = bytes.data()}, workers);
  EXPECT_EQ(bytes, wanted_bytes);
  return true;
}

bool expect_equal(const Case& c) {
  const Numbers wanted = by_definition(c);
  EXPECT_EQ(computed(plain_computer(c.conv, c.ends()), c, 1), wanted);
  EXPECT_EQ(computed(computer(c.conv, c.ends()), c, 1), wanted);
  EXPECT_EQ(computed(computer(c.conv, c.ends()), c, 3), wanted);
  EXPECT_EQ(computed(avx2_computer(c.conv, c.ends()), c, 1), wanted);
  return expect_equal_in_bytes(c, wanted);
}

ConvolutionJob job_of(const arith::Interval& numbers, std::int32_t zero_point,
                      std::span<const arith::FloatRule> rules) {
  return {.zero_point = zero_point, .numbers = numbers, .rules = rules};
}

TEST(Convolution, RandomShapesAreTheirDefinition) {
  Draw draw(test::rotating_seed());
  int in_bytes = 0;
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const Case c = draw.drawn();
    SCOPED_TRACE(i);
    in_bytes += expect_equal(c) ? 1 : 0;
  }
  EXPECT_TRUE(HasFailure() || (in_bytes > 40) == has_vnni());
}

// More terms, rows and tiles than one part of the work has.
TEST(Convolution, LargeOnesAreTheirDefinition) {
  Draw draw(1);
  expect_equal(draw.of({1100, 3, 5}, 13, 1, true, true));
  expect_equal(draw.of({9, 2, 6}, 611, 1, false));
  expect_equal(draw.of({1101, 1, 1}, 300, 1, true, true));
  expect_equal(draw.of({150, 1, 1}, 9, 3, false, true));
  expect_equal(draw.of({5, 21, 90}, 8, 1, false, true));
  expect_equal(draw.of({130, 9, 40}, 31, 1, true));
}

// 33,024 products of 255 * 255, or of -255 * 255.
TEST(Convolution, SumsReachTheEndsOf32Bits) {
  for (const int sign : {-1, 1})
    for (const int zero_point : {0, 255}) {
      Case c{.in = {.name = "x", .shape = {33024, 1, 1}, .format = {8, false}},
             .out = {.name = "y", .shape = {7, 1, 1}, .format = {8, true}}};
      c.in.zero_point = zero_point;
      c.map.assign(33024, 255 - zero_point);
      const int weight = sign * (zero_point == 0 ? 255 : -255);
      c.conv.weights.assign(33024 * 7, static_cast<std::int16_t>(weight));
      c.conv.bias.assign(7, 0);
      c.conv.scales = {0x1p-25F};
      const Numbers wanted = by_definition(c);
      EXPECT_EQ(wanted, Numbers(7, sign * 64));
      expect_equal(c);
    }
}

// Without their bias these sums would need 33 bits.
TEST(Convolution, OnlyWholeSumsMustFit32Bits) {
  Case c{.in = {.name = "x", .shape = {8, 1, 4}, .format = {15, false}},
         .out = {.name = "y", .shape = {3, 1, 4}, .format = {8, true}}};
  c.map.assign(32, 32767);
  c.conv.weights.assign(24, 16000);
  c.conv.bias.assign(3, -2147483647 - 1);
  c.conv.scales = {0x1p-25F};
  expect_equal(c);
}

bool takes(ConvolutionJob job) { return static_cast<bool>(fast_convolution(job, false)); }

TEST(Convolution, IsVectorisedWhereItCan) {
  const std::vector<arith::FloatRule> bytes(1), words(1, {.range = arith::signed_range(32)});
  EXPECT_EQ(takes(job_of({0, 255}, 0, bytes)), has_avx2());
  EXPECT_EQ(takes(job_of({-32768, 32767}, 0, bytes)), has_avx2());
  EXPECT_EQ(takes(job_of({0, 65535}, 32768, bytes)), has_avx2());
  EXPECT_FALSE(takes(job_of({0, 65535}, 32767, bytes)));
  EXPECT_FALSE(takes(job_of({-32768, 32767}, 1, bytes)));
  EXPECT_FALSE(takes(job_of({0, 255}, 0, words)));
}

// Sums that are kept whole, and numbers too wide for pairs of 16 bits.
TEST(Convolution, WideOnesAreTheirDefinition) {
  Draw draw(2);
  for (int i = 0; i < 20; ++i) {
    Case c = draw.drawn();
    (i % 2 == 0 ? c.out : c.in).format = {32, true};
    expect_equal(c);
  }
}

}  // namespace
}  // namespace kumiki::gen::kernels::convolution_test
