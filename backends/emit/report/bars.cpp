// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backends/emit/report/html.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

constexpr double width = 640, line = 20, head = 34, foot = 12;
constexpr double character = 6.7, longest = 260, value_room = 90;

// 1234567 as 1,234,567; a number that is not whole with four digits.
std::string written(double value) {
  if (value == std::floor(value) && value < 1e15)
    return html::grouped(static_cast<std::uint64_t>(value));
  return fmt::format("{:.4g}", value);
}

std::string text(double x, double y, const char* anchor, const char* weight,
                 const std::string& what) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"12\" font-weight=\"{}\" fill=\"#222222\">{}</text>\n",
      x, y, anchor, weight, html::escaped(what));
}

void require_drawable(const Bars& panel) {
  if (panel.values.empty())
    throw DesignError(
        fmt::format("the bars \"{}\" have no values: one or more are legal", panel.title));
  for (const auto& [name, value] : panel.values)
    if (!std::isfinite(value) || value < 0)
      throw DesignError(fmt::format("the bars \"{}\" have {} = {}: finite values from 0 are legal",
                                    panel.title, name, value));
}

}  // namespace

std::string bars_svg(const std::vector<Bars>& panels) {
  std::string out;
  double y = 0, names = 0;
  for (const Bars& panel : panels)
    for (const auto& [name, value] : panel.values)
      names = std::max(names, std::min(character * static_cast<double>(name.size()), longest));
  const double left = names + 16, room = width - left - value_room;
  for (const Bars& panel : panels) {
    require_drawable(panel);
    double most = 0;
    for (const auto& [name, value] : panel.values) most = std::max(most, value);
    out += text(left, y + 20, "start", "bold", panel.title);
    y += head;
    for (const auto& [name, value] : panel.values) {
      const double length = most > 0 ? value / most * room : 0;
      out += text(left - 8, y + 14, "end", "normal", name);
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill=\"#1668a8\"/>\n",
          left, y + 3, length, line - 6);
      out += text(left + length + 6, y + 14, "start", "normal", written(value));
      y += line;
    }
    y += foot;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
             width, y) +
         out + "</svg>\n";
}

}  // namespace kumiki::backends
