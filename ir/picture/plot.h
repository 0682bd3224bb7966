// SPDX-License-Identifier: Apache-2.0
// Line plots, panels above each other over the same kind of axis.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace kumiki::picture {

struct Panel {
  std::string title;                                   // above it
  std::string x_label;                                 // below it
  std::string y_label;                                 // unit of the values: "ms"
  std::vector<std::pair<double, double>> points;       // by rising x; values are not negative
  std::vector<std::pair<double, double>> others = {};  // pale dots, in any order
  bool is_line = true;                                 // through the points
};

// An SVG, the same bytes for the same panels. DesignError for a panel without points, or with a
// value that is not a number.
std::string plot_svg(const std::vector<Panel>& panels);

// The distance of ticks, 1, 2 or 5 times a power of ten, that gives at most `most` ticks up to
// `end`.
double tick_distance(double end, int most);

}  // namespace kumiki::picture
