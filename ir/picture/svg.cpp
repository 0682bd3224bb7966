// SPDX-License-Identifier: Apache-2.0
#include "ir/picture/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/picture/text.h"

namespace kumiki::picture {
namespace {

constexpr int margin = 20;

}  // namespace

void Svg::put_rect(int x, int y, int width, int height, const Paint& fill, std::string_view more) {
  if (std::find(used_.begin(), used_.end(), &fill) == used_.end()) used_.push_back(&fill);
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}{}\"/>\n", x,
                       y, width, height, fill.name, more);
  right_ = std::max(right_, x + width);
}

void Svg::rect(int x, int y, int width, int height, const Paint& fill) {
  put_rect(x, y, width, height, fill, "");
}

void Svg::bar(int x, int y, int width, int height, const Paint& fill) {
  put_rect(x, y, width, height, fill, " bar");
  has_bars_ = true;
}

void Svg::put_text(int x, int y, std::string_view what, Anchor anchor, std::string_view more) {
  if (what.empty()) return;
  const char* at = anchor == Anchor::start ? "" : anchor == Anchor::middle ? "middle" : "end";
  body_ += fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", x, y,
                       *at == 0 ? "" : fmt::format(" text-anchor=\"{}\"", at), more, escaped(what));
  const int width = letters(what) * letter_width;
  right_ = std::max(right_, anchor == Anchor::start    ? x + width
                            : anchor == Anchor::middle ? x + width / 2
                                                       : x);
}

void Svg::text(int x, int y, std::string_view what, Anchor anchor) {
  put_text(x, y, what, anchor, "");
}

void Svg::faint(int x, int y, std::string_view what, Anchor anchor) {
  put_text(x, y, what, anchor, " class=\"faint\"");
}

void Svg::path(const std::string& d, std::string_view style) {
  body_ += fmt::format("<path d=\"{}\" class=\"{}\"/>\n", d, style);
}

void Svg::circle(int x, int y, int radius, std::string_view style) {
  body_ +=
      fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}\"/>\n", x, y, radius, style);
  right_ = std::max(right_, x + radius);
}

void Svg::rounded(int x, int y, int width, int height, int radius, std::string_view style) {
  body_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" class=\"{}\"/>\n",
                  x, y, width, height, radius, style);
  right_ = std::max(right_, x + width);
}

void Svg::styled(std::string_view name, std::string_view light, std::string_view dark) {
  styles_.push_back({std::string(name), std::string(light), std::string(dark)});
}

int Svg::legend(int x, int y, int width) {
  std::vector<const Paint*> said;
  std::copy_if(used_.begin(), used_.end(), std::back_inserter(said),
               [](const Paint* p) { return *p->meaning != 0; });
  if (said.empty()) return 0;
  int at = x, line = y;
  for (const Paint* p : said) {
    const int wide = 40 + letters(p->meaning) * letter_width;
    if (at > x && at + wide > x + width) at = x, line += 22;
    rect(at, line, 14, 14, *p);
    text(at + 20, line + 11, p->meaning);
    at += wide;
  }
  return line + 14 - y;
}

std::string Svg::str(int height) const {
  const int width = right_ + margin;
  // A picture may be viewed alone or in a page: it shrinks to the available width, and is dark on a
  // dark page.
  std::string light =
                  "text{fill:#1f2328}.faint{fill:#57606a}rect,.line{stroke:#1f2328}"
                  ".line{fill:none}.paper{fill:#ffffff;stroke:none}",
              dark =
                  "text{fill:#e4e8ec}.faint{fill:#9aa4af}rect,.line{stroke:#8b949e}"
                  ".paper{fill:#14171b;stroke:none}";
  for (const Paint* p : used_) {
    light += fmt::format(".{}{{fill:{}}}", p->name, p->light);
    dark += fmt::format(".{}{{fill:{}}}", p->name, p->dark);
  }
  if (has_bars_) light += ".bar{stroke:none}";
  for (const Style& s : styles_) {
    light += fmt::format(".{}{{{}}}", s.name, s.light);
    if (!s.dark.empty()) dark += fmt::format(".{}{{{}}}", s.name, s.dark);
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
             "viewBox=\"0 0 {0} {1}\" font-family=\"monospace\" font-size=\"12\" "
             "style=\"max-width:100%;height:auto;color-scheme:light dark\">\n"
             "<style>{2}\n@media (prefers-color-scheme:dark){{{3}}}</style>\n"
             "<rect width=\"{0}\" height=\"{1}\" class=\"paper\"/>\n",
             width, height, light, dark) +
         body_ + "</svg>\n";
}

}  // namespace kumiki::picture
