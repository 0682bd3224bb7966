// SPDX-License-Identifier: Apache-2.0
#include "ir/picture/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/error.h"
#include "ir/picture/svg.h"
#include "ir/picture/text.h"

namespace kumiki::picture {
namespace {

constexpr int room = 360, line = 20, head = 34, foot = 12, edge = 16;

// 1234567 as 1,234,567; a number that is not whole with four digits.
std::string written(double value) {
  if (value == std::floor(value) && value < 1e15) return grouped(static_cast<std::uint64_t>(value));
  return fmt::format("{:.4g}", value);
}

void require_drawable(const Bars& panel) {
  if (panel.values.empty())
    throw DesignError(
        code::chart_values,
        fmt::format("the bars \"{}\" have no values; give at least one", panel.title));
  for (const auto& [name, value] : panel.values)
    if (!std::isfinite(value) || value < 0)
      throw DesignError(
          code::chart_values,
          fmt::format("the bars \"{}\" have {} = {}; values must be finite and at least 0",
                      panel.title, name, value));
}

}  // namespace

std::string bars_svg(const std::vector<Bars>& panels) {
  int names = 0;
  for (const Bars& panel : panels) {
    require_drawable(panel);
    for (const auto& [name, value] : panel.values) names = std::max(names, letters(name));
  }
  const int left = edge + names * letter_width + 8;
  Svg svg;
  int y = 0;
  for (const Bars& panel : panels) {
    double most = 0;
    for (const auto& [name, value] : panel.values) most = std::max(most, value);
    svg.text(edge, y + 20, panel.title);
    y += head;
    for (const auto& [name, value] : panel.values) {
      const int length = most > 0 ? static_cast<int>(std::lround(value / most * room)) : 0;
      svg.text(left - 8, y + 14, name, Anchor::end);
      svg.rect(left, y + 3, length, line - 6, paint::figure);
      svg.text(left + length + 6, y + 14, written(value));
      y += line;
    }
    y += foot;
  }
  return svg.str(y);
}

}  // namespace kumiki::picture
