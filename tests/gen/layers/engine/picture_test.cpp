// SPDX-License-Identifier: Apache-2.0
// The pictures of a network on an engine: all layers, nothing outside, the forecast's numbers.
#include "gen/layers/engine/picture.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <map>
#include <regex>

#include "gen/graph/text.h"
#include "gen/layers/engine/lower.h"
#include "ir/picture/text.h"
#include "tests/support/engine_networks.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::picture_test {

using ::testing::HasSubstr;

struct Rect {
  int x, y, width, height;
  std::string style;
};

std::vector<Rect> rects_of(const std::string& svg) {
  static const std::regex rect(
      "<rect x=\"(-?\\d+)\" y=\"(-?\\d+)\" width=\"(-?\\d+)\" height=\"(-?\\d+)\" "
      "class=\"([^\"]*)\"");
  std::vector<Rect> all;
  for (std::sregex_iterator i(svg.begin(), svg.end(), rect), end; i != end; ++i)
    all.push_back(
        {std::stoi((*i)[1]), std::stoi((*i)[2]), std::stoi((*i)[3]), std::stoi((*i)[4]), (*i)[5]});
  return all;
}

struct Text {
  int x, y;
  std::string anchor, what;
};

std::vector<Text> texts_of(const std::string& svg) {
  static const std::regex text(
      "<text x=\"(-?\\d+)\" y=\"(-?\\d+)\"(?: text-anchor=\"(\\w+)\")?[^>]*>([^<]*)<");
  std::vector<Text> all;
  for (std::sregex_iterator i(svg.begin(), svg.end(), text), end; i != end; ++i)
    all.push_back({std::stoi((*i)[1]), std::stoi((*i)[2]), (*i)[3], (*i)[4]});
  return all;
}

// Nothing leaves the canvas, which is narrow enough for a small page.
void expect_within(const std::string& svg) {
  std::smatch box;
  ASSERT_TRUE(std::regex_search(svg, box, std::regex("viewBox=\"0 0 (\\d+) (\\d+)\"")));
  const int width = std::stoi(box[1]), height = std::stoi(box[2]);
  EXPECT_LE(width, 520);
  for (const Rect& r : rects_of(svg)) {
    EXPECT_GE(r.x, 0);
    EXPECT_GE(r.y, 0);
    EXPECT_GT(r.width, 0);
    EXPECT_GT(r.height, 0);
    EXPECT_LE(r.x + r.width, width);
    EXPECT_LE(r.y + r.height, height);
  }
  for (const Text& t : texts_of(svg)) {
    // An escaped letter is one.
    static const std::regex escaped("&[^;]*;");
    const int wide = 8 * picture::letters(std::regex_replace(t.what, escaped, "x"));
    const int from = t.anchor == "end" ? t.x - wide : t.anchor == "middle" ? t.x - wide / 2 : t.x;
    EXPECT_GE(from, 0) << t.what;
    EXPECT_LE(from + wide, width) << t.what;
    EXPECT_LE(t.y, height) << t.what;
  }
}

void expect_no_overlap(std::vector<Rect> rects) {
  std::ranges::sort(rects, {}, [](const Rect& r) { return std::pair{r.y, r.x}; });
  for (std::size_t i = 1; i < rects.size(); ++i) {
    const Rect &a = rects[i - 1], &b = rects[i];
    EXPECT_TRUE(a.y != b.y || a.x + a.width <= b.x) << a.x << ", " << b.x << " of line " << a.y;
  }
}

void expect_layers(const std::string& svg, const Timeline& t, int letters) {
  for (const LayerClocks& l : t.layers)
    EXPECT_THAT(
        svg, HasSubstr(fmt::format(">{}<", picture::escaped(picture::both_ends(l.name, letters)))));
}

// A picture whose clocks are bars.
void expect_bars(const std::string& svg, const Timeline& t) {
  expect_within(svg);
  expect_layers(svg, t, 40);
  std::vector<Rect> bars;
  for (const Rect& r : rects_of(svg))
    if (r.style.ends_with(" bar")) bars.push_back(r);
  expect_no_overlap(bars);
}

// "1,234" at the beginning of a text.
std::int64_t number_of(const std::string& text) {
  std::string digits;
  for (const char c : text)
    if (c >= '0' && c <= '9')
      digits += c;
    else if (c != ',')
      break;
  return std::stoll(digits);
}

void expect_timeline(const Program& p, const Timeline& t) {
  const std::string svg = timeline_svg(p, t);
  EXPECT_EQ(svg, timeline_svg(p, t));
  expect_bars(svg, t);
  const std::string run = p.images() > 1 ? fmt::format("{} images", p.images()) : "an image";
  EXPECT_THAT(svg, HasSubstr(fmt::format(" {} in {} clocks<", run,
                                         picture::grouped(static_cast<std::uint64_t>(t.clocks)))));
  // The lanes say for how long each part is busy.
  std::map<std::string, std::int64_t> said;
  const auto texts = texts_of(svg);
  for (std::size_t i = 1; i < texts.size(); ++i)
    if (texts[i].what.find(" clocks, ") != std::string::npos)
      said[texts[i - 1].what] = number_of(texts[i].what);
  std::map<std::string, std::int64_t> busy;
  for (const Span& s : t.spans) {
    static const std::map<Busy, std::string> names{{Busy::operations, "operations"},
                                                   {Busy::weights, "weights"},
                                                   {Busy::loads, "loads"},
                                                   {Busy::stores, "stores"}};
    const bool waits = s.part == Busy::unit && s.cause == Cause::weights;
    if (s.part == Busy::unit) {
      const Unit unit = std::get<Op>(p.steps[s.step]).unit;
      busy[unit == Unit::products    ? "columns"
           : unit == Unit::depthwise ? "depthwise"
                                     : "maximum"] += waits ? 0 : s.end - s.begin;
    } else {
      busy[names.at(s.part)] += s.end - s.begin;
    }
  }
  EXPECT_EQ(said, busy);
}

void expect_memory(const Program& p, const Timeline& t) {
  const std::string svg = memory_svg(p, t);
  EXPECT_EQ(svg, memory_svg(p, t));
  expect_within(svg);
  expect_layers(svg, t, 20);
  const auto rects = rects_of(svg);
  const auto count = [&](const std::string& style) {
    return std::ranges::count(rects, style, &Rect::style);
  };
  const auto strips = std::ranges::count_if(p.held, &Held::is_strip);
  // One more of each in the legend.
  EXPECT_EQ(count("strip"), strips + (strips > 0 ? 1 : 0));
  const auto maps = std::ssize(p.held) - strips;
  EXPECT_EQ(count("map"), maps + (maps > 0 ? 1 : 0));
}

void expect_clocks(const Program& p, const Timeline& t) {
  const std::string svg = clocks_svg(p, t);
  EXPECT_EQ(svg, clocks_svg(p, t));
  expect_bars(svg, t);
  std::vector<std::int64_t> numbers;
  for (const Text& text : texts_of(svg))
    if (text.anchor == "end" && !text.what.ends_with('%')) numbers.push_back(number_of(text.what));
  ASSERT_EQ(numbers.size(), causes + t.layers.size());
  std::int64_t of_causes = 0, of_layers = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    (i < causes ? of_causes : of_layers) += numbers[i];
  EXPECT_EQ(of_causes, t.clocks);
  EXPECT_EQ(of_layers, t.clocks);
}

void expect_pictures(const EnginePlan& plan, const Program& p) {
  const Timeline t = timeline_of(plan, p);
  expect_timeline(p, t);
  expect_memory(p, t);
  expect_clocks(p, t);
}

TEST(EnginePictures, OfRandomNetworks) {
  const EnginePlan plan{
      plan_core({.rows = 8, .columns = 4, .places = 1024, .weight_words = 32}, false)};
  test::EngineNetworks networks(plan, test::rotating_seed());
  for (int i = 0; i < 20; ++i) {
    const auto n = networks.next().value();
    SCOPED_TRACE(testing::Message() << "network of seed " << n.seed);
    expect_pictures(plan, *n.program);
    if (const auto p = test::with_few_places(*n.program->graph, plan.core.shape))
      if (why_not(plan, *p).empty()) expect_pictures(plan, *p);
  }
}

// Many layers with long names, and strips.
TEST(EnginePictures, OfALargeNetwork) {
  constexpr int layers = 80;
  std::string text = "graph large\ntensor t0 u8 4x24x24 scale 0x1p-3 zero 3\n";
  for (int i = 1; i <= layers; ++i)
    text += fmt::format("tensor t{} u8 4x24x24 scale 0x1p-3 zero 3\n", i);
  text += fmt::format("input t0\noutput t{}\n", layers);
  for (int i = 0; i < layers; ++i)
    text += fmt::format(
        "conv /features/blocks/block.{0}/Conv<\"{0}\"&> t{0} -> t{1} kernel 1x1\n"
        "  scales 0x1p-5\n  bias 1 2 3 4\n  weights 1 2 3 4\n  weights 5 6 7 8\n"
        "  weights 1 -2 3 -4\n  weights -5 6 -7 8\n",
        i, i + 1);
  const graph::Graph g = graph::parse_graph("large.graph", text);
  // The maps of two layers fit, then one, then none.
  for (const std::int64_t places : {2048, 1024, 256}) {
    const EnginePlan plan{
        plan_core({.rows = 4, .columns = 4, .places = places, .weight_words = 16}, false)};
    const Program p = lower(g, plan.core.shape);
    ASSERT_EQ(why_not(plan, p), "");
    EXPECT_EQ(timeline_of(plan, p).layers.size(), layers);
    expect_pictures(plan, p);
  }
}

}  // namespace kumiki::gen::engine::picture_test
