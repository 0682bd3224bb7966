// SPDX-License-Identifier: Apache-2.0
// The normalised channels of a pixel, with numbers by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/graph.h"
#include "tests/gen/operators/small_graphs.h"

namespace kumiki::gen::graph::layer_norm_test {
namespace {

using test::is_kept;
using test::result;
using test::wrong;
using testing::Each;
using testing::ElementsAre;
using testing::StartsWith;

struct Case {
  std::string in = "s8 8", out = "s8 8";
  std::string scale = "0x1p+0", made = "0x1p-2", words = "epsilon 0x1.8p+1";
  std::string factors = " 1 2 3 4 5 6 7 8", biases;
  int zero_in = 0, zero = 0;
  std::string text() const {
    return fmt::format(
        "graph g\ntensor x {} scale {} zero {}\ntensor y {} scale {} zero {}\ninput x\noutput y\n"
        "layer_norm n x -> y {}\n  factors{}\n{}",
        in, scale, zero_in, out, made, zero, words, factors,
        biases.empty() ? "" : "  biases" + biases + "\n");
  }
};

// The mean of these is 0, that of their squares 1; with the epsilon 3 a number becomes its half.
const Numbers signs{1, -1, 1, -1, 1, -1, 1, -1};

TEST(LayerNorm, TakesTheMeanOffAndMultipliesByAFactorForEachPlace) {
  EXPECT_THAT(result(Case{}.text(), signs), ElementsAre(2, -4, 6, -8, 10, -12, 14, -16));
  const Case moved{.zero_in = -7, .zero = 5};
  Numbers more = signs;
  for (auto& n : more) n += 50;
  EXPECT_THAT(result(moved.text(), more), ElementsAre(7, 1, 11, -3, 15, -7, 19, -11));
  EXPECT_THAT(result(Case{.biases = " 1 1 1 1 -1 -1 -1 -1"}.text(), signs),
              ElementsAre(6, 0, 10, -4, 6, -16, 10, -20));
}

TEST(LayerNorm, OfEqualNumbersIsTheBiases) {
  const Case one{.scale = "0x1.99999ap-4",
                 .words = "epsilon 0x1p-100",
                 .biases = " 0.25 0.5 0.75 1 1.25 1.5 1.75 2"};
  EXPECT_THAT(result(one.text(), {9, 9, 9, 9, 9, 9, 9, 9}), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(LayerNorm, RoundsHalvesToTheEvenNumberAndStaysInTheFormat) {
  const Case halves{.made = "0x1p+0"};  // 0.5, -1, 1.5, -2, 2.5, …
  EXPECT_THAT(result(halves.text(), signs), ElementsAre(0, -1, 2, -2, 2, -3, 4, -4));
  EXPECT_THAT(result(Case{.made = "0x1p-10"}.text(), signs),
              ElementsAre(127, -128, 127, -128, 127, -128, 127, -128));
}

// The numbers of two pixels.
Numbers pixels(const Numbers& first, const Numbers& second) {
  Numbers all;
  for (std::size_t i = 0; i < first.size(); ++i) all.insert(all.end(), {first[i], second[i]});
  return all;
}
Numbers negative(Numbers all) {
  for (auto& n : all) n = -n;
  return all;
}

TEST(LayerNorm, GoesPixelByPixel) {
  const Case two{.in = "s8 8x1x2", .out = "s8 8x1x2"};
  EXPECT_EQ(result(two.text(), pixels(signs, negative(signs))),
            pixels({2, -4, 6, -8, 10, -12, 14, -16}, {-2, 4, -6, 8, -10, 12, -14, 16}));
}

TEST(LayerNorm, AveragesPixels) {
  const Case mean{
      .in = "s8 8x1x2", .words = "epsilon 0x1.8p+1 averages 1", .biases = " 0 1 0 1 0 1 0 1"};
  EXPECT_THAT(result(mean.text(), pixels(signs, signs)), ElementsAre(2, 0, 6, -4, 10, -8, 14, -12));
  EXPECT_THAT(result(mean.text(), pixels(signs, negative(signs))),
              ElementsAre(0, 4, 0, 4, 0, 4, 0, 4));
}

TEST(LayerNorm, IsWrittenAndRead) {
  EXPECT_TRUE(
      is_kept("graph g\ntensor x s8 8x1x2 scale 0x1p+0 zero 0\n"
              "tensor y s8 8 scale 0x1p-2 zero 0\ninput x\noutput y\n"
              "layer_norm n x -> y epsilon 0x1.4f8b58p-17 averages 1\n"
              "  factors 0x1p+0 0x1p+1 0x1p+0 0x1p+1 0x1p+0 0x1p+1 0x1p+0 0x1p+1\n"
              "  biases 0x0p+0 -0x1p+1 0x1p+0 0x1p+1 0x1p+0 0x1p+1 0x1p+0 0x1p+1\n"));
}

TEST(LayerNorm, Refusals) {
  EXPECT_EQ(wrong(Case{}.text()), "not refused");
  EXPECT_THAT(wrong(Case{.words = "epsilon 0x1p-3 averages 2"}.text()),
              StartsWith("node n has averages 2; it must be 0 or 1"));
  EXPECT_THAT(wrong(Case{.words = "epsilon 0x1p-3 averages -1"}.text()),
              StartsWith("node n has averages -1; it must be 0 or 1"));
  EXPECT_THAT(wrong(Case{.out = "s8 4x2"}.text()), StartsWith("node n makes 8, but y is 4x2"));
  EXPECT_THAT(
      wrong(Case{.in = "s8 8x1x2", .out = "s8 8x1x2", .words = "epsilon 1 averages 1"}.text()),
      StartsWith("node n makes 8, but y is 8x1x2"));
  EXPECT_THAT(wrong(Case{.in = "s9 8"}.text()),
              StartsWith("node n reads numbers of 9 bits; they must have at most 8"));
  EXPECT_THAT(wrong(Case{.in = "s8 12", .out = "s8 12"}.text()),
              StartsWith("node n normalises 12 numbers; it must be a multiple of 8"));
  const std::string rest = " biases; it must have 8 factors, and as many biases or none";
  EXPECT_THAT(wrong(Case{.factors = " 1 2 3 4 5 6 7"}.text()),
              StartsWith("node n has 7 factors and 0" + rest));
  EXPECT_THAT(wrong(Case{.biases = " 1 2 3 4 5 6 7"}.text()),
              StartsWith("node n has 8 factors and 7" + rest));
  for (const char* epsilon : {"0", "-0x1p-3", "0x1p-130"})
    EXPECT_THAT(wrong(Case{.words = fmt::format("epsilon {}", epsilon)}.text()),
                testing::HasSubstr("it must be a normal float32 above 0"));
}

TEST(LayerNorm, ComputesWithFiniteNumbers) {
  const auto is_refused = [](const Case& c) {
    const std::string text = wrong(c.text());
    return text.starts_with("node n computes with the scales ") &&
           text.find(
               "the results must be finite in float32; give them values that are nearer to "
               "1") != text.npos;
  };
  const auto factor = [](const std::string& f) { return " 1 1 1 1 1 1 1 " + f; };
  EXPECT_EQ(wrong(Case{.scale = "0x1p+50", .made = "0x1p+60"}.text()), "not refused");
  EXPECT_TRUE(is_refused(Case{.scale = "0x1p+60", .made = "0x1p+60"}));  // the squares
  EXPECT_TRUE(is_refused(Case{.scale = "0x1p-130"}));                    // no normal number
  EXPECT_TRUE(is_refused(Case{.factors = factor("0x1p+125")}));          // the products
  EXPECT_TRUE(is_refused(Case{.words = "epsilon 0x1p-126", .factors = factor("-0x1p+60")}));
  EXPECT_TRUE(is_refused(Case{.biases = factor("0x1p+127")}));  // over the scale
  EXPECT_TRUE(is_refused(Case{.made = "0x1p-140"}));
}

// Numbers that bytes can be never leave float32, and never the format.
TEST(LayerNorm, OfAnyNumbersStaysInTheFormat) {
  const Case far{.words = "epsilon 0x1p-40", .factors = " 1 1 1 1 1 1 1 1"};
  EXPECT_THAT(result(far.text(), {127, -128, -128, -128, -128, -128, -128, -128}),
              ElementsAre(11, -2, -2, -2, -2, -2, -2, -2));
  EXPECT_THAT(result(far.text(), {0, 0, 0, 0, 0, 0, 0, 0}), Each(0));
}

}  // namespace
}  // namespace kumiki::gen::graph::layer_norm_test
