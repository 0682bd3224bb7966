// SPDX-License-Identifier: Apache-2.0
#include "ir/picture/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/error.h"
#include "ir/picture/svg.h"

namespace kumiki::picture {
namespace {

constexpr int plot_width = 640, height = 280;                // of a panel
constexpr int left = 70, right = 20, top = 34, bottom = 48;  // around its axes

// One panel, its upper left corner at (0, offset). Both axes end at a tick.
class Drawing {
 public:
  Drawing(const Panel& panel, int offset) : panel_(panel), offset_(offset) {
    double low = panel.points.front().first, high = low, most = 0;
    for (const auto* points : {&panel.points, &panel.others})
      for (const auto& [x, y] : *points) {
        low = std::min(low, x);
        high = std::max(high, x);
        most = std::max(most, y);
      }
    x_step_ = tick_distance(high - low, 10);
    y_step_ = tick_distance(most, 5);
    x_low_ = std::floor(low / x_step_) * x_step_;
    x_ticks_ = std::max(1, static_cast<int>(std::ceil((high - x_low_) / x_step_ - 1e-9)));
    y_ticks_ = std::max(1, static_cast<int>(std::ceil(most / y_step_ - 1e-9)));
  }

  void draw(Svg& svg) const {
    draw_axes(svg);
    for (const auto& [x, y] : panel_.others) svg.circle(at_x(x), at_y(y), 3, "pale");
    std::string line;
    for (const auto& [x, y] : panel_.points)
      line += fmt::format("{}{} {}", line.empty() ? "M" : "L", at_x(x), at_y(y));
    if (panel_.is_line) svg.path(line, "curve");
    for (const auto& [x, y] : panel_.points) svg.circle(at_x(x), at_y(y), 3, "dot");
  }

 private:
  int at_x(double x) const {
    return left + static_cast<int>(std::lround((x - x_low_) / (x_step_ * x_ticks_) *
                                               (plot_width - left - right)));
  }
  int at_y(double y) const {
    return offset_ + height - bottom -
           static_cast<int>(std::lround(y / (y_step_ * y_ticks_) * (height - top - bottom)));
  }

  void draw_axes(Svg& svg) const {
    const int end = plot_width - right;
    svg.text(left + 16, offset_ + top - 12, panel_.title);
    for (int i = 0; i <= y_ticks_; ++i) {
      const int y = at_y(i * y_step_);
      svg.path(fmt::format("M{} {}H{}", left, y, end), i == 0 ? "line" : "grid");
      svg.text(left - 8, y + 4, fmt::format("{:g}", i * y_step_), Anchor::end);
    }
    for (int i = 0; i <= x_ticks_; ++i) {
      const int x = at_x(x_low_ + i * x_step_), y = at_y(0);
      svg.path(fmt::format("M{} {}v5", x, y));
      svg.text(x, y + 18, fmt::format("{:g}", x_low_ + i * x_step_), Anchor::middle);
    }
    svg.text((left + end) / 2, offset_ + height - 10, panel_.x_label, Anchor::middle);
    svg.text(left - 8, offset_ + top - 12, panel_.y_label, Anchor::end);
  }

  const Panel& panel_;
  int offset_;
  double x_low_ = 0, x_step_ = 1, y_step_ = 1;
  int x_ticks_ = 1, y_ticks_ = 1;
};

}  // namespace

double tick_distance(double end, int most) {
  if (!(end > 0)) return 1;
  double step = std::pow(10, std::floor(std::log10(end)) - 2);
  for (int i = 0; end / step > most * (1 + 1e-9); ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

std::string plot_svg(const std::vector<Panel>& panels) {
  Svg svg;
  svg.styled("grid", "stroke:#d0d7de;fill:none", "stroke:#30363d");
  svg.styled("curve", "stroke:#1668a8;stroke-width:2;fill:none", "stroke:#6cb0e8");
  svg.styled("dot", "fill:#1668a8", "fill:#6cb0e8");
  // Only if it is used, so that other pictures do not change.
  if (std::ranges::any_of(panels, [](const Panel& p) { return !p.others.empty(); }))
    svg.styled("pale", "fill:#b8cfe2", "fill:#3b5468");
  int offset = 0;
  for (const Panel& panel : panels) {
    if (panel.points.empty())
      throw DesignError(
          code::chart_values,
          fmt::format("the plot \"{}\" has no points; give at least one", panel.title));
    for (const auto* points : {&panel.points, &panel.others})
      for (const auto& [x, y] : *points)
        if (!std::isfinite(x) || !std::isfinite(y) || y < 0)
          throw DesignError(
              code::chart_values,
              fmt::format(
                  "the plot \"{}\" has a point ({}, {}); values must be finite and at least 0",
                  panel.title, x, y));
    Drawing(panel, offset).draw(svg);
    offset += height;
  }
  return svg.str(offset);
}

}  // namespace kumiki::picture
