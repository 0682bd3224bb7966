// SPDX-License-Identifier: Apache-2.0
// Pictures of networks: every node is there once, no box lies on another one, no line runs through
// a box, lines go from the nodes that are read to those that read them.
#include "gen/graph/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "gen/graph/layering.h"
#include "ir/error.h"
#include "tests/support/seed.h"

namespace kumiki::gen::graph::picture_test {
namespace {

using ::testing::HasSubstr;

struct Rect {
  double x, y, width, height;
};
std::vector<Rect> boxes_of(const std::string& svg) {
  static const std::regex box(
      "<rect x=\"(-?\\d+)\" y=\"(-?\\d+)\" width=\"(\\d+)\" height=\"(\\d+)\" rx");
  std::vector<Rect> all;
  for (std::sregex_iterator i(svg.begin(), svg.end(), box), end; i != end; ++i)
    all.push_back({std::stod((*i)[1]), std::stod((*i)[2]), std::stod((*i)[3]), std::stod((*i)[4])});
  return all;
}

using Line = std::vector<std::pair<double, double>>;
// Points along every line, curves too.
std::vector<Line> lines_of(const std::string& svg) {
  static const std::regex path("<path d=\"([^\"]*)\" class=\"line\"");
  static const std::regex step(
      "M(-?\\d+) (-?\\d+)|V(-?\\d+)|C(-?\\d+) (-?\\d+) (-?\\d+) (-?\\d+) "
      "(-?\\d+) (-?\\d+)");
  std::vector<Line> all;
  for (std::sregex_iterator i(svg.begin(), svg.end(), path), end; i != end; ++i) {
    const std::string d = (*i)[1];
    Line line;
    for (std::sregex_iterator s(d.begin(), d.end(), step); s != end; ++s) {
      const auto n = [&](std::size_t k) { return std::stod((*s)[k]); };
      if ((*s)[1].matched) {
        line.emplace_back(n(1), n(2));
        continue;
      }
      const auto [x, y] = line.back();
      for (int t = 1; t <= 40; ++t) {
        const double u = t / 40.0, v = 1 - u;
        if ((*s)[3].matched)
          line.emplace_back(x, v * y + u * n(3));
        else
          line.emplace_back(
              v * v * v * x + 3 * v * v * u * n(4) + 3 * v * u * u * n(6) + u * u * u * n(8),
              v * v * v * y + 3 * v * v * u * n(5) + 3 * v * u * u * n(7) + u * u * u * n(9));
      }
    }
    all.push_back(std::move(line));
  }
  return all;
}

// Additions of whatever was made before, far back too.
Graph any_graph(std::mt19937_64& random, std::size_t nodes) {
  Graph g{.name = "any", .tensors = {{.name = "x", .shape = {4}}}, .nodes = {}, .outputs = {}};
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t made = g.tensors.size();
    const auto back = [&] {
      return random() % 3 == 0 ? random() % made : made - 1 - std::min(made - 1, random() % 3);
    };
    Node n{.name = "node" + std::to_string(i),
           .op = Add{},
           .inputs = {back(), back()},
           .output = made};
    if (random() % 3 == 0) n = {.name = n.name, .op = ArgMax{}, .inputs = {back()}, .output = made};
    g.tensors.push_back({.name = "t" + std::to_string(i), .shape = {4}});
    g.nodes.push_back(n);
  }
  g.outputs = {g.tensors.size() - 1};
  if (nodes > 2) g.outputs.push_back(1 + random() % (nodes - 1));
  return g;
}

TEST(NetworkPicture, LinesRunBesideBoxes) {
  std::mt19937_64 random(test::rotating_seed());
  for (int n = 0; n < 40; ++n) {
    const Graph g = any_graph(random, 1 + random() % 25);
    const std::string svg = network_svg(g);
    ASSERT_EQ(svg, network_svg(g));
    const auto boxes = boxes_of(svg);
    ASSERT_EQ(boxes.size(), g.nodes.size() + 1 + g.outputs.size());
    for (std::size_t a = 0; a < boxes.size(); ++a)
      for (std::size_t b = a + 1; b < boxes.size(); ++b)
        EXPECT_FALSE(
            boxes[a].x < boxes[b].x + boxes[b].width && boxes[b].x < boxes[a].x + boxes[a].width &&
            boxes[a].y < boxes[b].y + boxes[b].height && boxes[b].y < boxes[a].y + boxes[a].height)
            << a << " lies on " << b;
    std::vector<std::size_t> maker(g.tensors.size());
    std::multiset<std::pair<std::size_t, std::size_t>> wanted, drawn;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      for (const TensorId id : g.nodes[i].inputs) wanted.emplace(maker[id], i + 1);
      maker[g.nodes[i].output] = i + 1;
    }
    for (std::size_t o = 0; o < g.outputs.size(); ++o)
      wanted.emplace(maker[g.outputs[o]], g.nodes.size() + 1 + o);
    for (const Line& line : lines_of(svg)) {
      const auto at = [&](double x, double y) {
        for (std::size_t b = 0; b < boxes.size(); ++b)
          if (x >= boxes[b].x && x <= boxes[b].x + boxes[b].width && y >= boxes[b].y &&
              y <= boxes[b].y + boxes[b].height)
            return b;
        return boxes.size();
      };
      // Its head is an arrow of 5 that ends at the box.
      drawn.emplace(at(line.front().first, line.front().second),
                    at(line.back().first, line.back().second + 5));
      for (std::size_t i = 1; i < line.size(); ++i)
        ASSERT_EQ(at(line[i].first, line[i].second), boxes.size()) << "a line runs through a box";
    }
    EXPECT_EQ(drawn, wanted);
  }
}

TEST(NetworkPicture, FitsItsPlaceInLightAndDark) {
  std::mt19937_64 random(1);
  Graph g = any_graph(random, 6);
  g.nodes[0].name = "a<b>&\"" + std::string(60, 'n');
  const std::string svg = network_svg(g);
  EXPECT_THAT(svg, HasSubstr("max-width:100%;height:auto"));
  EXPECT_THAT(svg, HasSubstr("@media (prefers-color-scheme:dark)"));
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  EXPECT_THAT(svg, HasSubstr(">.." + std::string(30, 'n') + "<"));
  const auto rules = svg.substr(0, svg.find("</style>")), body = svg.substr(svg.find("</style>"));
  EXPECT_THAT(body, ::testing::Not(HasSubstr("#")));
  for (const char* style : {"computes", "end", "head"}) {
    EXPECT_THAT(rules, HasSubstr("." + std::string(style) + "{"));
    EXPECT_THAT(body, HasSubstr("class=\"" + std::string(style) + "\""));
  }
}

TEST(NetworkPicture, BranchesThatNeedNotCrossDoNot) {
  // Two chains side by side, joined below: named against each other, so that their first order
  // crosses in every row.
  const auto at = layered({50, 50, 50, 50, 50, 50, 50, 50},
                          {{0, 1}, {0, 2}, {1, 4}, {2, 3}, {3, 6}, {4, 5}, {5, 7}, {6, 7}});
  for (std::size_t r = 1; r + 1 < at.rows.size(); ++r) ASSERT_EQ(at.rows[r].size(), 2u);
  const auto x = [&](std::size_t p) { return at.places[p].x; };
  EXPECT_EQ(x(1) < x(2), x(4) < x(3));
  EXPECT_EQ(x(4) < x(3), x(5) < x(6));
  EXPECT_EQ(x(1), x(4));  // and straight
  EXPECT_EQ(x(3), x(6));
}

TEST(NetworkPicture, RefusesWhatNoPageHolds) {
  std::vector<std::pair<std::size_t, std::size_t>> lines;
  const std::size_t nodes = 400;
  for (std::size_t i = 1; i < nodes; ++i) {
    lines.emplace_back(i - 1, i);
    for (std::size_t k = 0; k < 2 && i > 1; ++k) lines.emplace_back(0, i);
  }
  EXPECT_THAT(
      [&] { (void)layered(std::vector<int>(nodes, 10), lines); },
      ::testing::ThrowsMessage<DesignError>(::testing::StrEq(
          "the picture has more than 50000 boxes and lines between them; draw a smaller network")));
}

TEST(NetworkText, SaysWhoReadsWhom) {
  std::mt19937_64 random(2);
  Graph g = any_graph(random, 1);
  g.nodes[0] = {.name = "sum", .op = Add{}, .inputs = {0, 0}, .output = 1};
  EXPECT_EQ(network_text(g), "x: input S8 4\nsum: add of x and x makes S8 4\nt0: output of sum\n");
}

}  // namespace
}  // namespace kumiki::gen::graph::picture_test
