// SPDX-License-Identifier: Apache-2.0
// Boxes with lines of text, and lines between them from top to bottom.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kumiki::gen::graph {

// A bar below a line of a box, filled to this fraction.
struct Gauge {
  std::size_t line = 0;
  double share = 0;
};
struct Box {
  std::string name;                // drawn faintly
  std::vector<std::string> lines;  // below the name
  const char* style;               // the name of a BoxStyle
  std::vector<Gauge> gauges = {};
};
struct BoxStyle {
  const char *name, *light, *dark;
};
struct Boxes {
  std::vector<Box> boxes;
  std::vector<std::pair<std::size_t, std::size_t>> lines;  // to a box with a higher number
};

// Shortens a name that is too long for a box to its end.
std::string shortened(const std::string& name);
// DesignError: more boxes than fit on a page.
std::string boxes_svg(const Boxes& boxes, const std::vector<BoxStyle>& styles);

}  // namespace kumiki::gen::graph
