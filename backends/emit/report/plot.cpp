// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backends/emit/report/html.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

constexpr double plot_width = 640, height = 280;                // of a panel
constexpr double left = 70, right = 20, top = 34, bottom = 48;  // around its axes

std::string label(double x, double y, const char* style, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style,
                     html::escaped(text));
}

// One panel, its upper left corner at (0, offset). Both axes end at a tick.
class Drawing {
 public:
  Drawing(const Panel& panel, double offset) : panel_(panel), offset_(offset) {
    double low = panel.points.front().first, high = low, most = 0;
    for (const auto& [x, y] : panel.points) {
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

  std::string svg() const {
    std::string out = axes();
    std::string line;
    for (const auto& [x, y] : panel_.points)
      line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "" : " ", at_x(x), at_y(y));
    out += fmt::format("<polyline points=\"{}\" class=\"line\"/>\n", line);
    for (const auto& [x, y] : panel_.points)
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" class=\"dot\"/>\n", at_x(x),
                         at_y(y));
    return out;
  }

 private:
  double at_x(double x) const {
    return left + (x - x_low_) / (x_step_ * x_ticks_) * (plot_width - left - right);
  }
  double at_y(double y) const {
    return offset_ + height - bottom - y / (y_step_ * y_ticks_) * (height - top - bottom);
  }

  std::string axes() const {
    std::string out = label(left, offset_ + top - 12, "title", panel_.title);
    for (int i = 0; i <= y_ticks_; ++i) {
      const double y = at_y(i * y_step_);
      out += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" class=\"{}\"/>\n", left, y,
                         plot_width - right, i == 0 ? "axis" : "grid");
      out += label(left - 8, y + 4, "y", fmt::format("{:g}", i * y_step_));
    }
    for (int i = 0; i <= x_ticks_; ++i) {
      const double x = at_x(x_low_ + i * x_step_), y = at_y(0);
      out += fmt::format("<path d=\"M{:.1f} {:.1f}v5\" class=\"axis\"/>\n", x, y);
      out += label(x, y + 18, "x", fmt::format("{:g}", x_low_ + i * x_step_));
    }
    out += label((left + plot_width - right) / 2, offset_ + height - 10, "x", panel_.x_label);
    out += label(left - 8, offset_ + top - 12, "y", panel_.y_label);
    return out;
  }

  const Panel& panel_;
  double offset_, x_low_ = 0, x_step_ = 1, y_step_ = 1;
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
  const double all = height * static_cast<double>(panels.size());
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">\n<style>text{{font:12px sans-serif;fill:#222}}.title{{font-weight:bold}}"
      ".x{{text-anchor:middle}}.y{{text-anchor:end}}path{{fill:none}}.axis{{stroke:#222}}"
      ".grid{{stroke:#ddd}}.line{{fill:none;stroke:#1668a8;stroke-width:2}}.dot{{fill:#1668a8}}"
      "</style>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      plot_width, all);
  double offset = 0;
  for (const Panel& panel : panels) {
    if (panel.points.empty())
      throw DesignError(
          fmt::format("the plot \"{}\" has no points: one or more are legal", panel.title));
    for (const auto& [x, y] : panel.points)
      if (!std::isfinite(x) || !std::isfinite(y) || y < 0)
        throw DesignError(
            fmt::format("the plot \"{}\" has a point ({}, {}): finite values from 0 are legal",
                        panel.title, x, y));
    out += Drawing(panel, offset).svg();
    offset += height;
  }
  return out + "</svg>\n";
}

}  // namespace kumiki::backends
