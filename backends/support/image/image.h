// SPDX-License-Identifier: Apache-2.0
// Pictures as values and as files: 8 bits a sample, grey or colour. Nothing is converted: a filter
// gets the samples of the file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/files.h"

namespace kumiki::backends {

inline constexpr int max_image_side = 8192;

struct Image {
  int width = 0, height = 0;
  int channels = 1;                   // 1 grey, 3 red, green, blue
  int maximum = 255;                  // the sample that is white; other values only in PGM and PPM
  std::vector<std::uint8_t> samples;  // row by row; the channels of a pixel are adjacent

  std::size_t index(int x, int y, int channel = 0) const {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
            static_cast<std::size_t>(x)) *
               static_cast<std::size_t>(channels) +
           static_cast<std::size_t>(channel);
  }
  std::uint8_t at(int x, int y, int channel = 0) const { return samples[index(x, y, channel)]; }
  std::uint8_t& at(int x, int y, int channel = 0) { return samples[index(x, y, channel)]; }
  friend bool operator==(const Image&, const Image&) = default;
};

// All samples are 0. DesignError for an illegal size or number of channels.
Image make_image(int width, int height, int channels = 1);
// DesignError if fields and samples do not match.
void require_consistent(const Image& image);

// PNG, PGM (P2, P5) or PPM (P3, P6), recognised by content. FileError with the fault and the legal
// values.
Image read_image(const std::filesystem::path& path);
Image decode_image(std::string_view bytes, const std::string& name);

// The bytes of a file of this name: .png, .pgm (grey only) or .ppm (colour only).
std::string encode_image(const Image& image, const std::filesystem::path& name);
// The file appears whole or not at all.
void write_image(const std::filesystem::path& path, const Image& image, FilesOfUser theirs);

}  // namespace kumiki::backends
