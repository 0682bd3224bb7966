// SPDX-License-Identifier: Apache-2.0
// onnxruntime's softmax of bytes, with numbers by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gen/graph/graph.h"
#include "tests/gen/operators/small_graphs.h"

namespace kumiki::gen::graph::quantised_softmax_test {
namespace {

using test::is_kept;
using test::result;
using test::wrong;
using testing::Each;
using testing::ElementsAre;
using testing::StartsWith;

std::string softmax(const std::string& shape, const std::string& kind, const std::string& scale,
                    const std::string& made, int zero, int zero_in = 0) {
  return fmt::format(
      "graph g\ntensor x {} {} scale {} zero {}\ntensor y {} {} scale {} zero {}\ninput x\n"
      "output y\nsoftmax s x -> y\n",
      kind, shape, scale, zero_in, kind, shape, made, zero);
}
const std::string log_of_3 = "0x1.193eap+0";

TEST(QuantisedSoftmax, SharesOneAmongTheChannelsOfAPixel) {
  // Three quarters and a quarter of 256, whatever the numbers are beside their distance.
  EXPECT_THAT(result(softmax("2x1x2", "u8", log_of_3, "0x1p-8", 0), {101, 254, 100, 255}),
              ElementsAre(192, 64, 64, 192));
  EXPECT_THAT(result(softmax("2x2x1", "s8", log_of_3, "0x1p-8", -128, 5), {1, -128, 0, -127}),
              ElementsAre(64, -64, -64, 64));
  EXPECT_THAT(result(softmax("4", "u8", "0x1p-3", "0x1p-8", 0), {7, 7, 7, 7}), Each(64));
  // Far below the largest one.
  EXPECT_THAT(result(softmax("3", "u8", "0x1p+2", "0x1p-7", 9), {255, 0, 100}),
              ElementsAre(137, 9, 9));
}

TEST(QuantisedSoftmax, GoesGroupByGroup) {
  std::string two = softmax("4x1x2", "u8", log_of_3, "0x1p-8", 0);
  two.replace(two.find("-> y"), 4, "-> y groups 2");
  EXPECT_THAT(result(two, {101, 254, 100, 255, 9, 9, 9, 10}),
              ElementsAre(192, 64, 64, 192, 128, 64, 128, 192));
  EXPECT_TRUE(is_kept(two));
  for (const char* groups : {"0", "-1", "3", "8"}) {
    std::string none = two;
    none.replace(none.find("groups 2"), 8, fmt::format("groups {}", groups));
    EXPECT_THAT(wrong(none), StartsWith(fmt::format(
                                 "node s has {} groups; they must divide its 4 channels", groups)));
  }
}

TEST(QuantisedSoftmax, TakesTheFactorRoundedDown) {
  // 1/255 in float32 is a little more than that, which makes the factor 254.
  EXPECT_THAT(result(softmax("1", "u8", "0x1p-3", "0x1.010102p-8", 0), {7}), ElementsAre(254));
  EXPECT_THAT(result(softmax("1", "u8", "0x1p-3", "0x1.0101p-8", 0), {7}), ElementsAre(255));
  EXPECT_THAT(result(softmax("1", "u8", "0x1p-3", "0x1p+1", 17), {7}), ElementsAre(17));
}

TEST(QuantisedSoftmax, RoundsHalvesToTheEvenNumberAndStaysInTheFormat) {
  // 255 in two is 127.5, 85 in two 42.5.
  EXPECT_THAT(result(softmax("2", "u8", "0x1p-3", "0x1.0101p-8", 0), {7, 7}), Each(128));
  EXPECT_THAT(result(softmax("2", "u8", "0x1p-3", "0x1.8p-7", 0), {7, 7}), Each(42));
  EXPECT_THAT(result(softmax("1", "u8", "0x1p-3", "0x1p-8", 3), {7}), ElementsAre(255));
  EXPECT_THAT(result(softmax("1", "s8", "0x1p-3", "0x1p-8", 0), {7}), ElementsAre(127));
  EXPECT_THAT(result(softmax("1", "u8", "0x1p-3", "0x1p-24", 3), {7}), ElementsAre(255));
}

// Cases of tests/judge/rules.py in which a logarithm in double precision, or a quotient in float32,
// rounds the other way.
TEST(QuantisedSoftmax, IsThatOfOnnxruntimeAtHalves) {
  EXPECT_THAT(result(softmax("16", "s8", "0x1.549d1ap-1", "0x1.020408p-7", -128, -49),
                     {-87, -3, 85, 91, -114, -86, 90, 102, 127, 127, -98, 86, 7, -78, -44, 23}),
              ElementsAre(-128, -128, -128, -128, -128, -128, -128, -128, -65, -65, -128, -128,
                          -128, -128, -128, -128));
  EXPECT_THAT(result(softmax("2", "s8", "0x1.0232b8p-5", "0x1.645976p-8", 0, 0), {5, 5}), Each(92));
}

TEST(QuantisedSoftmax, IsWrittenAndRead) {
  EXPECT_TRUE(is_kept(softmax("2x3x4", "s8", "0x1p-3", "0x1p-8", -128)));
}

TEST(QuantisedSoftmax, HasBytesOfOneType) {
  const auto of = [](const char* in, const char* made) {
    return wrong(fmt::format(
        "graph g\ntensor x {} scale 0x1p-3 zero 0\ntensor y {} scale 0x1p-8 zero 0\ninput x\n"
        "output y\nsoftmax s x -> y\n",
        in, made));
  };
  EXPECT_EQ(of("u8 3", "u8 3"), "not refused");
  EXPECT_THAT(of("u8 3", "s8 3"),
              StartsWith("node s makes numbers of S8 from U8; both must be s8 or both u8"));
  EXPECT_THAT(of("u4 3", "u4 3"),
              StartsWith("node s makes numbers of U4 from U4; both must be s8 or both u8"));
  EXPECT_THAT(of("s9 3", "s9 3"),
              StartsWith("node s makes numbers of S9 from S9; both must be s8 or both u8"));
  EXPECT_THAT(of("u8 3", "u8 4"), StartsWith("node s makes 3, but y is 4"));
}

TEST(QuantisedSoftmax, HasAScaleThatAQuotientOf32BitsHas) {
  const auto of = [](const std::string& made) {
    return wrong(softmax("3", "u8", "0x1p-3", made, 0));
  };
  EXPECT_EQ(of("0x1p-24"), "not refused");
  EXPECT_EQ(of("0x1p+127"), "not refused");
  EXPECT_THAT(of("0x1p-25"), StartsWith("node s has the scale 2.9802322e-08 of y; it must be at "
                                        "least 2^-24"));
  EXPECT_THAT(of("0x1p-149"), testing::HasSubstr("of y; it must be at least 2^-24"));
}

// Whatever the scale, the sum of so many of the largest entry is finite.
TEST(QuantisedSoftmax, EntriesAreFinite) {
  for (const float scale : {0x1p-149F, 0x1p-20F, 1.0F, 0x1p127F})
    for (const std::size_t of : {std::size_t{1}, std::size_t{1} << 20}) {
      const auto all = exponentials_of({"x", {1}, {8, true}, 0, scale}, of);
      for (const float e : all) EXPECT_TRUE(std::isfinite(e * static_cast<float>(of)));
      EXPECT_GT(all[255], 0);
    }
}

}  // namespace
}  // namespace kumiki::gen::graph::quantised_softmax_test
