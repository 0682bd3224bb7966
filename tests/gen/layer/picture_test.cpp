// SPDX-License-Identifier: Apache-2.0
// What every picture keeps to: it is no wider than where it is shown, it is made for light and for
// dark surroundings, its legend says what is in it and nothing else, a colour means one thing. And
// what a single kind of picture promises.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "gen/blocks/compressor/picture.h"
#include "ir/picture/svg.h"
#include "tests/gen/layer/beats/recording.h"
#include "tests/support/small_network.h"

namespace kumiki::gen {
namespace picture_picture_test {

using beats::test::layer_of;

using ::testing::HasSubstr;
using ::testing::Not;

std::string picture_of(const std::string& json, const std::string& name) {
  for (const Picture& p : layer_of(json)->pictures())
    if (p.name == name) return p.svg;
  ADD_FAILURE() << "no picture " << name;
  return {};
}

// Between `from` and the next `to`, every time.
std::vector<std::string> between(const std::string& text, const std::string& from,
                                 const std::string& to) {
  std::vector<std::string> all;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    at += from.size();
    all.push_back(text.substr(at, text.find(to, at) - at));
  }
  return all;
}

TEST(Pictures, FitTheirPlaceInLightAndDark) {
  const std::string network = KUMIKI_TEST_TMP "/picture.graph";
  std::filesystem::create_directories(KUMIKI_TEST_TMP);
  std::ofstream(network) << test::small_network();
  const std::string engine = fmt::format(
      R"({{"type": "engine", "rows": 8, "columns": 4, "places": 64, "ring": 64, "graph": "{}"}})",
      network);
  for (
      const auto& [json, name] : std::vector<std::pair<std::string, std::string>>{
          {R"({"type": "dot", "terms": 20})", "packing"},
          {R"({"type": "popcount", "bits": 30})", "tree"},
          {R"({"type": "vision", "width": 64, "height": 8, "stages": [{"kernel": "median"}]})",
           "pipeline"},
          {R"({"type": "matvec", "outputs": 5, "inputs": 6, "weights_from": "random"})", "engine"},
          {R"({"type": "pe_array", "rows": 3, "columns": 3, "accumulators": 2, "bits": 8, "weights_from": "random", "network": [{"type": "fc", "name": "f", "inputs": 4, "outputs": 5}]})",
           "map"},
          {engine, "timeline"},
          {engine, "memory"},
          {engine, "clocks"}}) {
    SCOPED_TRACE(name);
    const auto svg = picture_of(json, name);
    EXPECT_THAT(svg, HasSubstr("max-width:100%;height:auto"));
    EXPECT_THAT(svg, HasSubstr("@media (prefers-color-scheme:dark)"));
    // No colour beside the sheet's two lists.
    const auto body = svg.substr(svg.find("</style>"));
    EXPECT_THAT(body, Not(testing::ContainsRegex("[^&]#")));  // &#39; is an apostrophe
    // Every class has a rule.
    const auto rules = svg.substr(0, svg.find("</style>"));
    for (const auto& classes : between(body, "class=\"", "\"")) {
      std::istringstream in(classes);
      for (std::string one; in >> one;)
        if (one != "box" && one != "key") {
          EXPECT_THAT(rules, HasSubstr("." + one + "{"));
        }
    }
  }
}

// A sheet says what its paints mean, those it has used.
TEST(Pictures, LegendsSayWhatIsThere) {
  const auto carries =
      picture_of(R"({"type": "dot", "terms": 20, "scheme": "carry-lane"})", "packing");
  const auto canary = picture_of(
      R"({"type": "dot", "terms": 20, "scheme": "canary", "packed": {"bits": 4}, "shared": {"bits": 4, "signed": false}})",
      "packing");
  EXPECT_THAT(carries, HasSubstr(">carries</text>"));
  EXPECT_THAT(carries, Not(HasSubstr(">canary</text>")));
  EXPECT_THAT(canary, HasSubstr("class=\"canary\""));
  EXPECT_THAT(canary, HasSubstr(">canary</text>"));
  const auto adds = picture_of(R"({"type": "popcount", "bits": 6})", "tree");
  EXPECT_THAT(adds, Not(HasSubstr(">open carry</text>")));
}

TEST(Pictures, AColourMeansOneThing) {
  namespace paint = picture::paint;
  const picture::Paint* all[] = {
      &paint::product,  &paint::guard,    &paint::canary, &paint::carries,   &paint::operand,
      &paint::sign,     &paint::constant, &paint::slice,  &paint::slice_rnd, &paint::slice_c,
      &paint::adder,    &paint::memory,   &paint::logic,  &paint::element,   &paint::padding,
      &paint::computes, &paint::leaves,   &paint::waits,  &paint::weights,   &paint::loads,
      &paint::stores,   &paint::begins,   &paint::map,    &paint::strip};
  std::set<std::string> light, dark, meanings;
  for (const auto* p : all) {
    EXPECT_TRUE(light.insert(p->light).second) << p->name;
    EXPECT_TRUE(dark.insert(p->dark).second) << p->name;
    EXPECT_TRUE(meanings.insert(p->meaning).second) << p->name;
  }
}

// The lines of counters and chains keep clear of every dot, and columns are numbered.
TEST(Pictures, LinesOfATreeRunBetweenItsDots) {
  const auto svg = picture_of(R"({"type": "multiplier"})", "tree");
  for (const char* column : {">0<", ">4<"}) EXPECT_THAT(svg, HasSubstr(column));
  static const std::regex circle("<circle cx=\"(\\d+)\" cy=\"(\\d+)\" r=\"4\" class=\"bit\"");
  std::vector<std::pair<double, double>> dots;
  for (std::sregex_iterator i(svg.begin(), svg.end(), circle), end; i != end; ++i)
    dots.emplace_back(std::stod((*i)[1]), std::stod((*i)[2]));
  ASSERT_GE(dots.size(), 25u);
  std::size_t segments = 0;
  for (const auto& d : between(svg, "<path d=\"", "\"")) {
    double x = 0, y = 0;
    static const std::regex step("M(\\d+) (\\d+)|H(\\d+)|V(\\d+)");
    for (std::sregex_iterator i(d.begin(), d.end(), step), end; i != end; ++i) {
      const double from_x = x, from_y = y;
      if ((*i)[1].matched) {
        x = std::stod((*i)[1]), y = std::stod((*i)[2]);
        continue;
      }
      if ((*i)[3].matched) x = std::stod((*i)[3]);
      if ((*i)[4].matched) y = std::stod((*i)[4]);
      ++segments;
      for (const auto& [cx, cy] : dots) {
        const double near_x = std::clamp(cx, std::min(from_x, x), std::max(from_x, x)),
                     near_y = std::clamp(cy, std::min(from_y, y), std::max(from_y, y));
        EXPECT_GT(std::hypot(cx - near_x, cy - near_y), 4.5) << cx << ", " << cy << ": " << d;
      }
    }
  }
  EXPECT_GE(segments, 3u);
}

TEST(Pictures, AMedianMultipliesNothing) {
  const auto svg = picture_of(
      R"({"type": "vision", "width": 64, "height": 8, "pixels": 4, "stages": [{"kernel": "median"}]})",
      "pipeline");
  EXPECT_THAT(svg, Not(HasSubstr("0 products")));
  EXPECT_THAT(svg, Not(HasSubstr("multiply")));
}

// Room for "100:100" once there is a bit 100, although bits one by one write less.
TEST(Pictures, BoxesOfBeatsAreAsWideAsTheirBitNumbers) {
  for (const auto& [terms, letters] : {std::pair{100, 5}, {101, 7}}) {
    const auto layer =
        layer_of(fmt::format(R"({{"type": "lut_macc", "terms": {}, "a": {{"bits": 1, "signed": )"
                             R"(false}}, "b": {{"bits": 1, "signed": false}}}})",
                             terms));
    const auto svg = beats_svg(layer->beats());
    const auto box = between(svg, "<rect x=", "class=\"element\"").at(0);
    EXPECT_THAT(box, HasSubstr(fmt::format("width=\"{}\"", letters * 8 + 8))) << terms;
  }
}

TEST(Pictures, AnEngineShowsItsPartsAndItsTime) {
  const auto svg = picture_of(
      R"({"type": "conv2d", "in_channels": 5, "height": 4, "width": 5, "out_channels": 7, "kernel": [3, 3], "padding": 1, "rows": 2, "columns": 2, "weights_from": "random"})",
      "engine");
  for (const char* part : {"loader", "line buffer", "feeder", "weights, embedded", "in_data",
                           "out_data", "tile 0", "tile 1", "2 rows x 2 columns of chains"})
    EXPECT_THAT(svg, HasSubstr(part));
}

}  // namespace picture_picture_test
}  // namespace kumiki::gen
