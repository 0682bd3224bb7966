// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/reference.h"

namespace kumiki::gen::vision {

namespace {

Raster halved(const Raster& picture) {
  Raster next{(picture.width + 1) / 2, (picture.height + 1) / 2, picture.channels, {}};
  for (std::int64_t y = 0; y < next.height; ++y)
    for (std::int64_t x = 0; x < next.width; ++x)
      for (std::size_t c = 0; c < picture.channels; ++c)
        next.values.push_back(picture.at(2 * y, 2 * x, c));
  return next;
}

}  // namespace

Raster filtered(const Pipeline& pipeline, const Raster& picture) {
  Raster now = picture;
  for (const Group& g : pipeline.groups) {
    if (g.halves) {
      now = halved(now);
      continue;
    }
    Raster next{now.width, now.height, g.outputs.size(), {}};
    const auto coefficients =
        g.window ? g.window->operation->loadable() : std::vector<std::int64_t>{};
    std::vector<std::vector<std::int64_t>> windows(now.channels);
    for (std::int64_t y = 0; y < now.height; ++y)
      for (std::int64_t x = 0; x < now.width; ++x) {
        for (std::size_t c = 0; c < now.channels; ++c)
          windows[c] = g.window ? window_at(*g.window, y, x, now.height, now.width,
                                            [&](std::int64_t row, std::int64_t column) {
                                              return now.at(row, column, c);
                                            })
                                : std::vector{now.at(y, x, c)};
        const auto pixel = g.apply(windows, coefficients);
        next.values.insert(next.values.end(), pixel.begin(), pixel.end());
      }
    now = std::move(next);
  }
  return now;
}

}  // namespace kumiki::gen::vision
