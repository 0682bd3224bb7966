// SPDX-License-Identifier: Apache-2.0
// Draws a pipeline as boxes from left to right, a few in each line.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gen/blocks/packing/picture.h"
#include "gen/layers/vision/report.h"
#include "ir/picture/svg.h"

namespace kumiki::gen::vision {
namespace {

namespace paint = picture::paint;
using picture::Anchor;
using picture::letter_width;
using picture::line_height;
using picture::Svg;

constexpr int left = 20, top = 44, gap = 44;
constexpr std::size_t in_line = 3;

std::vector<std::string> lines_of(const Group& g) {
  std::vector<std::string> text{g.name};
  if (g.window) {
    const auto m = g.lines();
    const auto& w = *g.window->operation;
    text.push_back(fmt::format("{} lines x {} x {} bits, {}", m.rows, m.depth, m.row_bits,
                               m.in_luts ? "LUT RAM" : "block RAM"));
    text.push_back(
        fmt::format("window {0} x {0}, border {1}", w.size(), vision::word(g.window->border)));
    text.push_back(fmt::format("{}, column {} + row {} clocks",
                               w.slices() == 0 ? "no slices" : fmt::format("{} slices", w.slices()),
                               w.column_latency(), w.latency()));
  }
  if (g.halves) text.push_back("every second pixel and line");
  for (const auto& op : g.after)
    text.push_back(
        fmt::format("{}, {} clock{}", op->name(), op->latency(), op->latency() == 1 ? "" : "s"));
  text.push_back(fmt::format("latency {}", g.latency()));
  return text;
}

}  // namespace

std::string picture_svg(const Pipeline& p) {
  std::vector<std::vector<std::string>> texts;
  std::size_t longest = 0, most = 0;
  for (const Group& g : p.groups) {
    texts.push_back(lines_of(g));
    most = std::max(most, texts.back().size());
    for (const auto& t : texts.back()) longest = std::max(longest, t.size());
  }
  const int box = static_cast<int>(longest) * letter_width + 12;
  const int height = static_cast<int>(most) * line_height + 12;
  Svg svg;
  svg.text(
      left, 20,
      fmt::format("{} pixel{} a beat, up to {} x {}: {}; {} line{} late", p.geometry.pixels,
                  p.geometry.pixels == 1 ? "" : "s", p.geometry.max_width, p.geometry.max_height,
                  slices_text(p), p.lines_late(), p.lines_late() == 1 ? "" : "s"));
  int y = top;
  const auto arrow = [&](int x, const std::vector<Format>& what) {
    svg.path(fmt::format("M{} {}h{}m-6 -4l6 4l-6 4", x, y + height / 2, gap));
    svg.faint(x + gap / 2, y + height + line_height, channels(what), Anchor::middle);
  };
  int x = left;
  arrow(x, p.inputs);
  for (std::size_t i = 0; i < p.groups.size(); ++i) {
    if (i > 0 && i % in_line == 0) {  // the output of a line begins the next one
      x = left;
      y += height + 2 * line_height + 8;
      arrow(x, p.groups[i - 1].outputs);
    }
    x += gap;
    const Group& g = p.groups[i];
    svg.rect(x, y, box, height, g.window ? paint::memory : paint::logic);
    for (std::size_t r = 0; r < texts[i].size(); ++r)
      svg.text(x + 6, y + line_height * static_cast<int>(r + 1), texts[i][r]);
    x += box;
    const bool ends = i + 1 == p.groups.size();
    if (ends || (i + 1) % in_line != 0) arrow(x, g.outputs);
  }
  return svg.str(y + height + 2 * line_height);
}

std::vector<Picture> pictures(const Pipeline& p) {
  std::vector<Picture> all{{"pipeline", picture_svg(p)}};
  std::set<std::string> names;
  for (const Group& g : p.groups)
    if (g.window)
      for (const auto& [name, plan] : g.window->operation->chains())
        if (names.insert(name).second) all.push_back({name, packing::picture_svg(*plan)});
  return all;
}

}  // namespace kumiki::gen::vision
