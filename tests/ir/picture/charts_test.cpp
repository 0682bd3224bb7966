// SPDX-License-Identifier: Apache-2.0
#include "ir/picture/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/error.h"
#include "ir/picture/bars.h"
#include "ir/picture/text.h"
#include "tests/support/golden.h"

namespace kumiki::tests {
namespace picture_charts_test {

using picture::Panel;
using picture::plot_svg;
using ::testing::HasSubstr;

TEST(Plot, TicksAreOneTwoOrFiveTimesAPowerOfTen) {
  EXPECT_DOUBLE_EQ(picture::tick_distance(10, 5), 2);
  EXPECT_DOUBLE_EQ(picture::tick_distance(10, 10), 1);
  EXPECT_DOUBLE_EQ(picture::tick_distance(43.5, 5), 10);
  EXPECT_DOUBLE_EQ(picture::tick_distance(0.003, 5), 0.001);
  EXPECT_DOUBLE_EQ(picture::tick_distance(0, 5), 1);
  for (double end = 0.0013; end < 1e7; end *= 1.37)
    for (const int most : {1, 3, 5, 10}) {
      const double step = picture::tick_distance(end, most);
      EXPECT_LE(end / step, most * (1 + 1e-6)) << end;
      EXPECT_GT(end / step, most / 2.6) << end;  // and not needlessly few
      const double digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
      EXPECT_TRUE(std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 ||
                  std::abs(digit - 5) < 1e-6)
          << step;
    }
}

TEST(PictureText, BothEndsOfALongText) {
  EXPECT_EQ(picture::both_ends("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(picture::both_ends("abcdefgh", 7), "abc..gh");
  EXPECT_EQ(picture::both_ends("abcdefgh", 4), "a..h");
  // Letters of several bytes stay whole.
  EXPECT_EQ(picture::both_ends("äöüßéèêë", 6), "äö..êë");
  EXPECT_EQ(picture::both_ends("", 4), "");
}

TEST(Plot, IsAPictureOfItsPoints) {
  const Panel a{"a < b & c", "x", "ms", {{0, 0}, {10, 5}, {20, 20}}};
  const Panel flat{"flat", "x", "Gbit/s", {{7, 3}}};
  const std::string svg = plot_svg({a, flat});
  test::expect_golden("plot/two-panels.svg", svg);
  EXPECT_EQ(svg, plot_svg({a, flat}));
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
}

TEST(Plot, RefusesWhatCannotBeDrawn) {
  const auto refused = [](const Panel& panel, const char* why) {
    EXPECT_THAT([&] { plot_svg({panel}); }, ::testing::ThrowsMessage<DesignError>(why));
  };
  refused({"none", "x", "y", {}}, "the plot \"none\" has no points; give at least one");
  refused({"negative", "x", "y", {{1, 2}, {1, -1}}},
          "the plot \"negative\" has a point (1, -1); values must be finite and at least 0");
  refused({"nan", "x", "y", {{1, std::nan("")}}},
          "the plot \"nan\" has a point (1, nan); values must be finite and at least 0");
  refused({"inf", "x", "y", {{std::numeric_limits<double>::infinity(), 1}}},
          "the plot \"inf\" has a point (inf, 1); values must be finite and at least 0");
  EXPECT_NO_THROW(plot_svg({{"zero", "x", "y", {{0, 0}}}}));
}

TEST(Bars, AreAsLongAsTheirValues) {
  const std::string svg = picture::bars_svg({{"clocks & more", {{"a", 1000000}, {"b<", 250000}}}});
  EXPECT_THAT(svg, HasSubstr("clocks &amp; more"));
  EXPECT_THAT(svg, HasSubstr(">b&lt;<"));
  EXPECT_THAT(svg, HasSubstr(">1,000,000<"));
  std::vector<double> lengths;
  for (auto at = svg.find("height=\"14"); at != std::string::npos;
       at = svg.find("height=\"14", at + 1))
    lengths.push_back(std::stod(svg.substr(svg.rfind("width=\"", at) + 7)));
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_NEAR(lengths[0] / lengths[1], 4, 0.01);
}

TEST(Bars, RefuseWhatCannotBeDrawn) {
  const auto refused = [](const picture::Bars& bars, const char* why) {
    EXPECT_THAT([&] { (void)picture::bars_svg({bars}); },
                ::testing::ThrowsMessage<DesignError>(why));
  };
  refused({"none", {}}, "the bars \"none\" have no values; give at least one");
  refused({"negative", {{"a", 1}, {"b", -1}}},
          "the bars \"negative\" have b = -1; values must be finite and at least 0");
  refused({"nan", {{"a", std::nan("")}}},
          "the bars \"nan\" have a = nan; values must be finite and at least 0");
  EXPECT_NO_THROW((void)picture::bars_svg({{"zero", {{"a", 0}}}}));
}

}  // namespace picture_charts_test
}  // namespace kumiki::tests
