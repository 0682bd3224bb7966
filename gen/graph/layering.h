// SPDX-License-Identifier: Apache-2.0
// Places boxes in rows; every line goes from a row to a lower one. A line that crosses rows gets a
// place in each of them, so no line runs through a box.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace kumiki::gen::graph {

struct Layering {
  struct Place {
    int row = 0, x = 0;  // x: its centre
    int width = 0;
    bool is_box = true;  // otherwise a line passes here
  };
  std::vector<Place> places;                    // the boxes first, in their order
  std::vector<std::vector<std::size_t>> rows;   // places from left to right
  std::vector<std::vector<std::size_t>> lines;  // places of a line, from box to box
};

// `widths`: of the boxes. Lines go from a box to one with a higher number. DesignError: more places
// than fit on a page.
Layering layered(const std::vector<int>& widths,
                 const std::vector<std::pair<std::size_t, std::size_t>>& lines);

}  // namespace kumiki::gen::graph
