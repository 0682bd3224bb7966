// SPDX-License-Identifier: Apache-2.0
#include "backends/support/image/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "backends/support/files.h"
#include "backends/support/image/formats.h"
#include "backends/support/image/messages.h"
#include "ir/error.h"
#include "ir/name_pool.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;

// A plain PPM of the largest size, with room for a long comment.
constexpr std::size_t max_file =
    std::size_t{max_image_side} * max_image_side * 3 * 4 + (std::size_t{1} << 20);

std::string load(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw FileError(code::file_is_directory,
                    fmt::format("cannot read {}: it is a folder", path.string()));
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw FileError(errno == ENOENT ? code::file_not_found : code::file_not_read,
                    fmt::format("cannot read {}: {}", path.string(),
                                std::error_code(errno, std::generic_category()).message()));
  std::string bytes;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer), in.gcount() > 0) {
    bytes.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > max_file)
      refuse(path.string(), code::picture_size, "is too long for a picture",
             fmt::format("it must have at most {0} x {0} pixels", max_image_side));
  }
  if (in.bad()) throw FileError(code::file_not_read, fmt::format("cannot read {}", path.string()));
  return bytes;
}

}  // namespace

void refuse(const std::string& name, Code code, std::string_view wrong, std::string_view required) {
  throw FileError({.code = code,
                   .wrong = fmt::format("{}: {}", name, wrong),
                   .required = std::string(required)});
}

void require_legal_size(std::uint64_t width, std::uint64_t height, const std::string& name) {
  if (width == 0 || height == 0 || width > max_image_side || height > max_image_side)
    refuse(name, code::picture_size, fmt::format("is {} x {} pixels", width, height),
           fmt::format("it must be 1 x 1 to {0} x {0}", max_image_side));
}

Image make_image(int width, int height, int channels) {
  Image image{.width = width, .height = height, .channels = channels};
  if (width > 0 && height > 0 && width <= max_image_side && height <= max_image_side &&
      (channels == 1 || channels == 3))
    image.samples.resize(image.index(0, height));
  require_consistent(image);
  return image;
}

void require_consistent(const Image& i) {
  if (i.width < 1 || i.height < 1 || i.width > max_image_side || i.height > max_image_side)
    throw DesignError(code::picture_size,
                      fmt::format("a picture has {} x {} pixels; it must be 1 x 1 to {} x {}",
                                  i.width, i.height, max_image_side, max_image_side));
  if (i.channels != 1 && i.channels != 3)
    throw DesignError(code::picture_channels,
                      fmt::format("a picture has {} channels; it must have 1 or 3", i.channels));
  if (i.maximum < 1 || i.maximum > 255)
    throw DesignError(
        code::picture_white,
        fmt::format("a picture has white = {}; it must be 1 to 255 for samples of 8 bits",
                    i.maximum));
  if (i.samples.size() != i.index(0, i.height))
    throw DesignError(
        code::picture_sample_count,
        fmt::format("a picture of {} x {} pixels and {} channels has {} samples; it must have {}",
                    i.width, i.height, i.channels, i.samples.size(), i.index(0, i.height)));
  if (const int most = *std::max_element(i.samples.begin(), i.samples.end()); most > i.maximum)
    throw DesignError(
        code::sample_out_of_range,
        fmt::format("a picture has a sample of {}; it must be 0 to {}", most, i.maximum));
}

Image decode_image(std::string_view bytes, const std::string& name) {
  if (is_png(bytes)) return decode_png(bytes, name);
  if (is_netpbm(bytes)) return decode_netpbm(bytes, name);
  refuse(name, code::unknown_picture_format,
         bytes.empty() ? "is empty" : "is not a picture of a known format",
         "give PNG, PGM (P2, P5) or PPM (P3, P6)");
}

Image read_image(const fs::path& path) { return decode_image(load(path), path.string()); }

std::string encode_image(const Image& image, const fs::path& name) {
  require_consistent(image);
  const std::string extension = ir::lower_case(name.extension().string());
  if (extension == ".png") {
    if (image.maximum != 255)
      refuse(name.string(), code::picture_white,
             fmt::format("white is {}, but PNG requires 255", image.maximum),
             "it must be 255, or write .pgm or .ppm");
    return encode_png(image);
  }
  if (extension == ".pgm" && image.channels == 3)
    refuse(name.string(), code::picture_extension,
           "PGM holds grey pictures and this one is in colour", "use the extension .ppm or .png");
  if (extension == ".ppm" && image.channels == 1)
    refuse(name.string(), code::picture_extension,
           "PPM holds pictures in colour and this one is grey", "use the extension .pgm or .png");
  if (extension != ".pgm" && extension != ".ppm")
    refuse(name.string(), code::picture_extension,
           fmt::format("the extension \"{}\" is not a format that kumiki writes", extension),
           "use .png, .pgm or .ppm");
  return encode_netpbm(image);
}

void write_image(const fs::path& path, const Image& image, FilesOfUser theirs) {
  write_named_file(path, encode_image(image, path), theirs);
}

}  // namespace kumiki::backends
