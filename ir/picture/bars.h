// SPDX-License-Identifier: Apache-2.0
// Bar charts of named values, panels above each other.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace kumiki::picture {

struct Bars {
  std::string title;                                   // with the unit: "cycles a frame"
  std::vector<std::pair<std::string, double>> values;  // from 0 on
};

// An SVG, the same bytes for the same panels. DesignError for a panel without values, or with a
// value that is not a number.
std::string bars_svg(const std::vector<Bars>& panels);

}  // namespace kumiki::picture
