// SPDX-License-Identifier: Apache-2.0
// Products of two results, with numbers by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/graph.h"
#include "tests/gen/operators/small_graphs.h"

namespace kumiki::gen::graph::matmul_test {
namespace {

using test::is_kept;
using test::result;
using test::wrong;
using testing::ElementsAre;
using testing::StartsWith;

// A tensor by its format, shape, scale and zero point.
std::string tensor(const char* name, const char* of, const char* scale, int zero) {
  return fmt::format("tensor {} {} scale {} zero {}\n", name, of, scale, zero);
}

// Both operands are inputs.
std::string product(const std::string& a, const std::string& b, const std::string& y,
                    const std::string& words = "") {
  return "graph g\n" + a + b + y + "input a\ninput b\noutput y\nmatmul m a b -> y" + words + "\n";
}

// 2 terms of 2 pixels, and 2 outputs.
const std::string a = tensor("a", "u8 2x1x2", "0x1p-1", 1),
                  b = tensor("b", "s8 2x1x2", "0x1p-2", -2),
                  y = tensor("y", "u8 2x1x2", "0x1p-2", 3);

TEST(MatMul, AddsProductsOfNumbersLessTheirZeroPoints) {
  // The pixels (2, 0) and (1, 4) times the outputs (4, 3) and (-1, 5): 8 and 16, then -2 and 19.
  // Half of them plus 3, and 9.5 as 10.
  EXPECT_THAT(result(product(a, b, y), {3, 2, 1, 5, 2, -3, 1, 3}), ElementsAre(7, 11, 2, 13));
  // Sums beyond the format become its ends.
  EXPECT_THAT(result(product(a, b, y), {255, 1, 255, 1, 127, -128, 127, -128}),
              ElementsAre(255, 3, 0, 3));
}

TEST(MatMul, HasTheTermsInThePixelsOfTheSecondMap) {
  const std::string text = product(a, b, y, " by_pixels 1");
  // The outputs are now (4, -1) and (3, 5): 8 and 0, then 6 and 23.
  EXPECT_THAT(result(text, {3, 2, 1, 5, 2, -3, 1, 3}), ElementsAre(7, 3, 6, 15));
  EXPECT_TRUE(is_kept(text));
  EXPECT_THAT(wrong(product(a, b, y, " by_pixels 2")),
              StartsWith("node m has by_pixels 2; it must be 0 or 1"));
}

TEST(MatMul, OfSeveralGroupsMultipliesEachByItsOwn) {
  const std::string of[] = {tensor("a", "s8 4x1x1", "0x1p+0", 0),
                            tensor("b", "s8 4x1x1", "0x1p+0", 0),
                            tensor("y", "s8 2x1x1", "0x1p+0", 0)};
  const std::string text = product(of[0], of[1], of[2], " groups 2");
  EXPECT_THAT(result(text, {1, 2, 3, 4, 5, 6, 7, -8}), ElementsAre(17, -11));
  EXPECT_TRUE(is_kept(text));
  for (const char* groups : {" groups 0", " groups -2", " groups 3"})
    EXPECT_THAT(wrong(product(of[0], of[1], of[2], groups)),
                StartsWith("node m has" + std::string(groups).substr(7) +
                           " groups; they must divide its 4 and 4 channels"));
}

// As an engine has them: of the result a line for each group, then of the first map.
TEST(MatMul, HasALineForEachGroup) {
  const auto of = [](const char* name, const char* shape) {
    return tensor(name, shape, "0x1p+0", 0);
  };
  // Of a group: (1, 2) by 5, 6 and 7; then (3, 4) by 1, -1 and 2.
  const std::string results =
      product(of("a", "s8 2x1x2"), of("b", "s8 2x1x3"), of("y", "s8 3x2x2"), " groups 2 lines 1");
  EXPECT_THAT(result(results, {1, 2, 3, 4, 5, 6, 7, 1, -1, 2}),
              ElementsAre(5, 10, 3, 4, 6, 12, -3, -4, 7, 14, 6, 8));
  EXPECT_TRUE(is_kept(results));
  // Two terms: the first line has (1, 2) and (5, 6), times (1, 0) and (0, 1); the second one (3, 4)
  // and (7, 8), times (2, -1) and (1, 1).
  const std::string operands =
      product(of("a", "s8 2x2x2"), of("b", "s8 2x1x4"), of("y", "s8 4x1x2"), " groups 2 lines 2");
  EXPECT_THAT(result(operands, {1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 2, 1, 0, 1, -1, 1}),
              ElementsAre(1, 2, 5, 6, -1, 0, 10, 12));
  EXPECT_TRUE(is_kept(operands));
  const auto refused = [&](const char* a, const char* b, const char* y, const char* words) {
    return wrong(product(of("a", a), of("b", b), of("y", y), words));
  };
  for (const char* words : {" lines 3", " lines -1", " lines 1 by_pixels 1"})
    EXPECT_THAT(refused("s8 2x1x2", "s8 2x1x2", "s8 2x1x2", words),
                testing::HasSubstr("lines must be 0, or 1 or 2 without by_pixels"));
  EXPECT_THAT(
      refused("s8 2x2x2", "s8 2x1x3", "s8 3x2x2", " groups 2 lines 1"),
      StartsWith("node m makes a line for each group of a map of 2 lines; it must have one"));
  EXPECT_THAT(refused("s8 2x3x2", "s8 2x1x4", "s8 4x1x2", " groups 2 lines 2"),
              StartsWith("node m has 2 groups; its first map must have as many lines, not 3"));
  EXPECT_THAT(refused("s8 2x2x2", "s8 2x1x3", "s8 4x1x2", " groups 2 lines 2"),
              testing::HasSubstr("they must divide the 3 pixels of the second one"));
  EXPECT_THAT(refused("s8 2x2x2", "s8 3x1x4", "s8 4x1x2", " groups 2 lines 2"),
              StartsWith("node m multiplies 2 channels a group with 3 channels"));
}

TEST(MatMul, HasAsManyTermsInBothMaps) {
  const auto of = [](const char* first, const char* second, const char* made,
                     const char* words = "") {
    return wrong(product(tensor("a", first, "0x1p-1", 1), tensor("b", second, "0x1p-2", -2),
                         tensor("y", made, "0x1p-2", 3), words));
  };
  EXPECT_EQ(of("u8 3x2x4", "s8 3x1x5", "u8 5x2x4"), "not refused");
  EXPECT_EQ(of("u8 3x2x4", "s8 5x1x3", "u8 5x2x4", " by_pixels 1"), "not refused");
  EXPECT_EQ(of("u8 6x2x4", "s8 10x1x3", "u8 10x2x4", " groups 2 by_pixels 1"), "not refused");
  EXPECT_THAT(of("u8 3x2x4", "s8 4x1x5", "u8 5x2x4"),
              StartsWith("node m multiplies 3 channels a group with 4 channels; there must be as "
                         "many"));
  EXPECT_THAT(of("u8 3x2x4", "s8 5x1x4", "u8 5x2x4", " by_pixels 1"),
              StartsWith("node m multiplies 3 channels a group with 4 pixels; there must be as "
                         "many"));
  EXPECT_THAT(of("u8 3x2x4", "s8 3x1x5", "u8 5x4x2"), StartsWith("node m makes 5x2x4, but y is "
                                                                 "5x4x2"));
  EXPECT_THAT(of("u8 3x2", "s8 3x1x5", "u8 5x2"),
              testing::HasSubstr("node m reads a, which is 3x2"));
  EXPECT_THAT(of("u8 3x2x4", "s8 3x5", "u8 5x2x4"),
              testing::HasSubstr("node m reads b, which is 3x5"));
  EXPECT_THAT(of("u8 2x1x1", "s8 2x1024x1024", "u8 1x1x1", " groups 2"),
              StartsWith("node m makes 2097152 channels; it must be at most 1048576"));
}

TEST(MatMul, HasNumbersOfEightBitsAndSumsOf32) {
  EXPECT_THAT(wrong(product(tensor("a", "u9 2x1x2", "0x1p-1", 1), b, y)),
              StartsWith("node m has numbers of 9 bits in a; they must have at most 8"));
  EXPECT_THAT(wrong(product(a, tensor("b", "s9 2x1x2", "0x1p-1", 1), y)),
              StartsWith("node m has numbers of 9 bits in b; they must have at most 8"));
  // 255 x 255 x 33025 is below 2^31, one term more is not.
  const auto of_terms = [](int terms) {
    const std::string shape = fmt::format("u8 {}x1x1", terms);
    return wrong(product(tensor("a", shape.c_str(), "0x1p-1", 0),
                         tensor("b", shape.c_str(), "0x1p-2", 0),
                         tensor("y", "u8 1x1x1", "0x1p+0", 0)));
  };
  EXPECT_EQ(of_terms(33025), "not refused");
  EXPECT_THAT(of_terms(33026), testing::HasSubstr("in channel 0; they must fit 32 bits"));
}

TEST(MatMul, HasAFactorThatIsAFiniteNumberAbove0) {
  const auto of = [](const char* first, const char* made) {
    return wrong(product(tensor("a", "u8 2x1x2", first, 1), b, tensor("y", "u8 2x1x2", made, 3)));
  };
  const std::string rest =
      ": the scales of a and b over that of y must be a finite number above 0; give them scales "
      "that are nearer to each other";
  EXPECT_THAT(of("0x1p+100", "0x1p-100"), StartsWith("node m multiplies by inf" + rest));
  EXPECT_THAT(of("0x1p-100", "0x1p+100"), StartsWith("node m multiplies by 0" + rest));
}

TEST(MatMul, HasTwoInputs) {
  EXPECT_THAT(wrong("graph g\n" + a + y + "input a\noutput y\nmatmul m a -> y\n"),
              StartsWith("node m has 1 inputs; it must have 2"));
}

}  // namespace
}  // namespace kumiki::gen::graph::matmul_test
