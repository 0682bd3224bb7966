// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/boxes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/graph/layering.h"
#include "ir/picture/svg.h"
#include "ir/picture/text.h"

namespace kumiki::gen::graph {
namespace {

using picture::Anchor;
using picture::letter_width;
using picture::line_height;

constexpr int margin = 20, between_rows = 36, inset = 10, corner = 6, head = 5;
constexpr int gauge_height = 4, gauge_below = 5, gauge_room = 7;  // below the baseline of a line
constexpr int longest_name = 32;  // letters; the end of a name is the most specific part

int width_of(const Box& b) {
  int letters = picture::letters(b.name);
  for (const std::string& l : b.lines) letters = std::max(letters, picture::letters(l));
  return letters * letter_width + 2 * inset;
}
void draw_gauge(picture::Svg& svg, int x, int y, int width, double share) {
  svg.rounded(x, y, width, gauge_height, 1, "gauge");
  const int level = static_cast<int>(std::lround(share * width));
  if (level > 0) svg.rounded(x, y, level, gauge_height, 1, "level");
}
int height_of(const Box& b) {
  return (static_cast<int>(b.lines.size()) + 1) * line_height +
         static_cast<int>(b.gauges.size()) * gauge_room + inset;
}

}  // namespace

std::string shortened(const std::string& name) {
  int letters = picture::letters(name);
  if (letters <= longest_name) return name;
  std::size_t at = 0;
  for (; letters > longest_name - 2; --letters) do
      ++at;
    while (at < name.size() && (static_cast<unsigned char>(name[at]) & 0xC0) == 0x80);
  return ".." + name.substr(at);
}

std::string boxes_svg(const Boxes& d, const std::vector<BoxStyle>& styles) {
  std::vector<int> widths;
  for (const Box& b : d.boxes) widths.push_back(width_of(b));
  const Layering at = layered(widths, d.lines);

  picture::Svg svg;
  for (const BoxStyle& s : styles) svg.styled(s.name, s.light, s.dark);
  if (std::ranges::any_of(d.boxes, [](const Box& b) { return !b.gauges.empty(); })) {
    svg.styled("gauge", "fill:#ffffff;stroke:#57606a;stroke-width:0.5",
               "fill:#0d1117;stroke:#8b949e;stroke-width:0.5");
    svg.styled("level", "fill:#0969da;stroke:none", "fill:#58a6ff;stroke:none");
  }
  svg.styled("head", "fill:#1f2328", "fill:#8b949e");
  std::vector<int> top, bottom;
  int y = margin;
  for (const auto& row : at.rows) {
    int height = 0;
    for (const std::size_t p : row)
      if (at.places[p].is_box) height = std::max(height, height_of(d.boxes[p]));
    top.push_back(y);
    bottom.push_back(y += height);
    y += between_rows;
  }
  const auto x_of = [&](std::size_t p) { return margin + at.places[p].x; };
  const auto row_of = [&](std::size_t p) { return static_cast<std::size_t>(at.places[p].row); };
  const auto middle_of = [&](std::size_t p) { return (top[row_of(p)] + bottom[row_of(p)]) / 2; };
  // Boxes are centred in their row; lines begin and end at them.
  const auto upper = [&](std::size_t p) {
    return at.places[p].is_box ? middle_of(p) - height_of(d.boxes[p]) / 2 : top[row_of(p)];
  };
  const auto lower = [&](std::size_t p) {
    return at.places[p].is_box ? upper(p) + height_of(d.boxes[p]) : bottom[row_of(p)];
  };

  // Several lines into one box end side by side, in the order of their origins.
  std::vector<std::vector<std::size_t>> into(d.boxes.size());
  for (std::size_t l = 0; l < at.lines.size(); ++l) into[at.lines[l].back()].push_back(l);
  std::vector<int> end_of(at.lines.size());
  for (std::size_t b = 0; b < into.size(); ++b) {
    auto& all = into[b];
    std::ranges::stable_sort(
        all, {}, [&](std::size_t l) { return x_of(at.lines[l][at.lines[l].size() - 2]); });
    const int ends = static_cast<int>(all.size());
    const int step = std::min(24, (width_of(d.boxes[b]) - 2 * inset) / std::max(1, ends));
    for (int i = 0; i < ends; ++i)
      end_of[all[static_cast<std::size_t>(i)]] = x_of(b) + step * i - step * (ends - 1) / 2;
  }

  for (std::size_t l = 0; l < at.lines.size(); ++l) {
    const auto& line = at.lines[l];
    int x = x_of(line[0]), from = lower(line[0]);
    std::string path = fmt::format("M{} {}", x, from);
    for (std::size_t i = 1; i < line.size(); ++i) {
      const bool last = i + 1 == line.size();
      const int to_x = last ? end_of[l] : x_of(line[i]);
      const int to = last ? upper(line[i]) - head : upper(line[i]);
      // The line leaves its column only between the rows.
      const int start = bottom[row_of(line[i - 1])], stop = top[row_of(line[i])] - head;
      if (start > from) path += fmt::format("V{}", start);
      const int half = (start + stop) / 2;
      path += fmt::format("C{} {} {} {} {} {}", x, half, to_x, half, to_x, stop);
      path += fmt::format("V{}", last ? to : lower(line[i]));
      x = to_x;
      from = last ? to : lower(line[i]);
    }
    svg.path(path);
    svg.path(
        fmt::format("M{} {}h{}l{} {}l{} {}z", x - head, from, 2 * head, -head, head, -head, -head),
        "head");
  }
  for (std::size_t b = 0; b < d.boxes.size(); ++b) {
    const Box& box = d.boxes[b];
    const int left = x_of(b) - width_of(box) / 2;
    int text = upper(b);
    svg.rounded(left, text, width_of(box), height_of(box), corner, box.style);
    svg.faint(x_of(b), text += line_height, box.name, Anchor::middle);
    for (std::size_t l = 0; l < box.lines.size(); ++l) {
      svg.text(x_of(b), text += line_height, box.lines[l], Anchor::middle);
      for (const Gauge& g : box.gauges) {
        if (g.line != l) continue;
        draw_gauge(svg, left + inset, text + gauge_below, width_of(box) - 2 * inset, g.share);
        text += gauge_room;
      }
    }
  }
  return svg.str(y - between_rows + margin);
}

}  // namespace kumiki::gen::graph
