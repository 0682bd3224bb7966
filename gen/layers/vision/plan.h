// SPDX-License-Identifier: Apache-2.0
// The plan of a pipeline of filters: groups, formats, delays. See the README of this folder.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gen/layers/vision/border.h"
#include "gen/layers/vision/operation.h"
#include "gen/layers/vision/pixel/operation.h"

namespace kumiki::gen::vision {

// The parameters that are the same everywhere in a pipeline.
struct Geometry {
  int pixels = 1;  // in a beat: 1, 2 or 4
  std::int64_t max_width = 0, max_height = 0;
  Geometry halved() const { return {pixels, (max_width + 1) / 2, (max_height + 1) / 2}; }
  std::int64_t beats() const { return (max_width + pixels - 1) / pixels; }  // of the longest line
  int tail_bits() const { return pixels == 4 ? 2 : pixels == 2 ? 1 : 0; }
};

struct Window {
  std::shared_ptr<const WindowOperation> operation;
  Border border = Border::replicate;
  std::int64_t outside = 0;  // with Border::constant
  bool keep = false;         // the middle pixel is passed on beside the results
  int radius() const { return operation->size() / 2; }
  // Beats from the middle of the window to its end.
  int reach(const Geometry& g) const { return (radius() + g.pixels - 1) / g.pixels; }
};

// Line memories: `rows` rows of `row_bits` bits; one memory may hold several rows.
struct LineMemories {
  std::uint32_t depth = 0, row_bits = 0;
  int rows = 0, together = 1;
  bool in_luts = false;
};

struct Request;

// Parts that share one enable: an optional window and the pixel operations after it.
struct Group {
  std::string name;  // of its module
  Geometry geometry;
  std::vector<Format> inputs, outputs;  // channels of a pixel
  std::optional<Window> window;
  std::vector<std::shared_ptr<const PixelOperation>> after;
  bool halves = false;  // replaces all of this: passes every second pixel of every second line
  // The number of lines travels with a frame up to the last group that halves.
  bool takes_height = false, hands_on_height = false;

  int window_latency() const;  // steps from a beat taken to the window's results at its middle
  int operations_latency() const;
  int latency() const;  // steps from a beat taken to its results in the output register
  LineMemories lines() const;
  int loadable() const;  // coefficients
  std::vector<Format> window_outputs() const;

  // The results for a pixel. window[channel][row * size + column]; without a window one value each.
  std::vector<std::int64_t> apply(const std::vector<std::vector<std::int64_t>>& window,
                                  std::span<const std::int64_t> coefficients) const;
  // The request determines the stages, so groups at the same position of equal requests are equal.
  std::shared_ptr<const Request> request;
  std::size_t place = 0;
  std::string module_name() const { return name; }
  bool operator==(const Group& other) const;
};

struct Pipeline {
  std::string name;
  Geometry geometry;
  std::vector<Format> inputs, outputs;
  std::vector<Group> groups;

  int coefficients() const;  // that are loaded, in the order of the groups
  int coefficient_bits() const;
  int latency() const;  // clocks from the first beat taken to its results, lines_late() apart
  int lines_late() const;
  int slices() const;
  std::int64_t macs() const;  // of a beat
  std::shared_ptr<const Request> request;
  std::string module_name() const { return name; }
  bool operator==(const Pipeline& other) const;
};

// The sources of a window with `size` rows and columns over a picture, after the border's rule;
// `get(row, column)` reads the picture.
template <class Get>
std::vector<std::int64_t> window_at(const Window& w, std::int64_t row, std::int64_t column,
                                    std::int64_t height, std::int64_t width, const Get& get) {
  const int r = w.radius();
  const auto capped = [&](std::int64_t n) {
    return static_cast<int>(std::min<std::int64_t>(n, r));
  };
  std::vector<std::int64_t> all;
  for (int i = -r; i <= r; ++i)
    for (int j = -r; j <= r; ++j) {
      const auto y = border_source(w.border, i, capped(row), capped(height - 1 - row));
      const auto x = border_source(w.border, j, capped(column), capped(width - 1 - column));
      all.push_back(x && y ? get(row + *y, column + *x) : w.outside);
    }
  return all;
}

}  // namespace kumiki::gen::vision
