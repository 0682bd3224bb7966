// SPDX-License-Identifier: Apache-2.0
// Runs whole pictures through a pipeline, using only the definition of its filters.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/vision/plan.h"

namespace kumiki::gen::vision {

struct Raster {
  std::int64_t width = 0, height = 0;
  std::size_t channels = 1;
  std::vector<std::int64_t> values;  // row by row, the channels of a pixel side by side

  std::int64_t at(std::int64_t row, std::int64_t column, std::size_t channel) const {
    return values[static_cast<std::size_t>(row * width + column) * channels + channel];
  }
  friend bool operator==(const Raster&, const Raster&) = default;
};

Raster filtered(const Pipeline& pipeline, const Raster& picture);

}  // namespace kumiki::gen::vision
