// SPDX-License-Identifier: Apache-2.0
#include "backends/support/image/test_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "backends/support/random.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

using lockstep::Random;

// A cosine of 1024 steps between 1 and 255. No value is close to a half, so rounding is the same on
// every machine.
std::uint8_t wave(std::int64_t phase) {
  static const auto table = [] {
    std::array<std::uint8_t, 1024> t{};
    for (std::size_t i = 0; i < t.size(); ++i)
      t[i] = static_cast<std::uint8_t>(
          std::lround(128 + 127 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / 1024)));
    return t;
  }();
  return table[static_cast<std::size_t>(phase & 1023)];
}

// Rings that get finer outwards, two pixels a ring at the middle of the longer side's edge.
Image zone_plate(int width, int height, std::uint64_t) {
  Image image = make_image(width, height);
  const std::int64_t side = std::max(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::int64_t dx = 2 * x - (width - 1), dy = 2 * y - (height - 1);
      image.at(x, y) = wave((dx * dx + dy * dy) * 1024 / (8 * side));
    }
  return image;
}

Image gradient(int width, int height, std::uint64_t) {
  Image image = make_image(width, height);
  const int most = std::max(1, width + height - 2);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.at(x, y) = static_cast<std::uint8_t>((x + y) * 255 / most);
  return image;
}

Image checker(int width, int height, std::uint64_t) {
  Image image = make_image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.at(x, y) = (x / 8 + y / 8) % 2 ? 255 : 0;
  return image;
}

// Paints on a picture; clips at its edges.
class Brush {
 public:
  Brush(Image& image, std::uint8_t value) : image_(image), value_(value) {}

  void dot(int x, int y) {
    if (x >= 0 && y >= 0 && x < image_.width && y < image_.height) image_.at(x, y) = value_;
  }
  void box(int left, int top, int width, int height) {
    for (int y = std::max(0, top); y < std::min(image_.height, top + height); ++y)
      for (int x = std::max(0, left); x < std::min(image_.width, left + width); ++x) dot(x, y);
  }
  void disc(int cx, int cy, int radius, int hole) {
    for (int y = cy - radius; y <= cy + radius; ++y)
      for (int x = cx - radius; x <= cx + radius; ++x) {
        const int d = (x - cx) * (x - cx) + (y - cy) * (y - cy);
        if (d <= radius * radius && d >= hole * hole) dot(x, y);
      }
  }
  void line(int x0, int y0, int x1, int y1) {
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= steps; ++i) dot(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps);
  }
  // The word in letters of 5 x 7 boxes.
  void word(int left, int top, int scale) {
    constexpr std::array<std::array<std::string_view, 7>, 4> letters{{
        {"#   #", "#  # ", "# #  ", "##   ", "# #  ", "#  # ", "#   #"},  // K
        {"#   #", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "},  // U
        {"#   #", "## ##", "# # #", "# # #", "#   #", "#   #", "#   #"},  // M
        {" ### ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "},  // I
    }};
    constexpr std::array<std::size_t, 6> spelt{0, 1, 2, 3, 0, 3};
    for (std::size_t i = 0; i < spelt.size(); ++i)
      for (std::size_t y = 0; y < 7; ++y)
        for (std::size_t x = 0; x < 5; ++x)
          if (letters[spelt[i]][y][x] == '#')
            box(left + static_cast<int>(6 * i + x) * scale, top + static_cast<int>(y) * scale,
                scale, scale);
  }

 private:
  Image& image_;
  std::uint8_t value_;
};

// Letters, boxes, rings and lines of many greys over a slope: edges in every direction.
Image shapes(int width, int height, std::uint64_t seed) {
  Image image = gradient(width, height, seed);
  for (auto& s : image.samples) s = static_cast<std::uint8_t>(64 + s / 4);
  Random random(seed, "shapes");
  auto place = [&](int extent) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(extent)));
  };
  auto grey = [&] { return static_cast<std::uint8_t>(random.below(256)); };
  const int side = std::min(width, height);
  for (int i = 0; i < 6; ++i) {
    const int x = place(width), y = place(height), radius = 1 + place(1 + side / 6);
    Brush(image, grey()).box(x, y, 1 + place(1 + width / 4), 1 + place(1 + height / 4));
    Brush(image, grey()).disc(place(width), place(height), radius, radius / 2);
    Brush(image, grey()).line(x, y, place(width), place(height));
  }
  const int scale = std::max(1, width / 48);
  Brush(image, 255).word(width / 8, height / 8, scale);
  Brush(image, 0).word(width / 8, height - height / 8 - 7 * scale, scale);
  return image;
}

// One pixel in ten black or white: noise that a median removes.
Image noise(int width, int height, std::uint64_t seed) {
  Image image = shapes(width, height, seed);
  Random random(seed, "noise");
  for (auto& s : image.samples)
    if (random.one_in(10)) s = random.one_in(2) ? 255 : 0;
  return image;
}

Image white_pixel(int width, int height, std::uint64_t) {
  Image image = make_image(width, height);
  image.at(width / 2, height / 2) = 255;
  return image;
}

Image random_samples(int width, int height, std::uint64_t seed) {
  Image image = make_image(width, height);
  Random random(seed, "random");
  for (auto& s : image.samples) s = static_cast<std::uint8_t>(random.below(256));
  return image;
}

// White, yellow, cyan, green, magenta, red, blue, black; the lower quarter is a slope of greys.
Image colour_bars(int width, int height, std::uint64_t) {
  Image image = make_image(width, height, 3);
  constexpr std::array<unsigned, 8> bars{7, 6, 3, 2, 5, 4, 1, 0};  // red 4, green 2, blue 1
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) {
        const bool on = bars[static_cast<std::size_t>(x * 8 / width)] >> (2 - c) & 1;
        image.at(x, y, c) = y >= height - height / 4
                                ? static_cast<std::uint8_t>(x * 255 / std::max(1, width - 1))
                            : on ? 255
                                 : 0;
      }
  return image;
}

constexpr TestPicture all[] = {
    {"zone-plate", "rings that get finer outwards: every frequency and direction", 1, zone_plate},
    {"gradient", "black to white along the diagonal", 1, gradient},
    {"checker", "black and white squares of 8 x 8 pixels", 1, checker},
    {"shapes", "writing, boxes, rings and lines (seed: where and how dark)", 1, shapes},
    {"noise", "the same with one pixel in ten black or white (seed)", 1, noise},
    {"random", "every sample at random (seed)", 1, random_samples},
    {"white-pixel", "one white pixel in the middle of black: a filter's own picture", 1,
     white_pixel},
    {"colour-bars", "eight bars and a slope of greys, in colour", 3, colour_bars},
};

}  // namespace

std::span<const TestPicture> test_pictures() { return all; }

Image test_picture(std::string_view name, int width, int height, std::uint64_t seed) {
  std::string names;
  for (const TestPicture& p : all) {
    if (p.name == name) {
      make_image(width, height);  // refuses an illegal size with a message
      return p.make(width, height, seed);
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", p.name);
  }
  throw DesignError(code::unknown_name,
                    fmt::format("unknown test picture \"{}\"; use {}", name, names));
}

}  // namespace kumiki::backends
