// SPDX-License-Identifier: Apache-2.0
// PNG by libpng. On errors libpng leaves by longjmp, so no function that calls it owns anything
// with a destructor.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <new>

#include "backends/support/image/formats.h"
#include "backends/support/image/messages.h"
#include "backends/support/messages.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);
constexpr std::size_t header_end = 8 + 8 + 13;  // signature, length and name of IHDR, its data

struct Header {
  std::uint32_t width, height;
  unsigned depth, colour;
};

std::uint32_t big_endian(std::string_view b) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(b[i]);
  return value;
}

// Refuses unsupported files here, before libpng sees them.
Header legal_header(std::string_view bytes, const std::string& name) {
  if (bytes.size() < header_end)
    refuse(name, code::picture_cut_off, "is a PNG that is cut off within its header",
           "give a whole file");
  if (bytes.substr(8, 8) != std::string_view("\0\0\0\x0dIHDR", 8))
    refuse(name, code::picture_damaged, "is a PNG without a header",
           "the first chunk must be IHDR");
  const Header h{big_endian(bytes.substr(16)), big_endian(bytes.substr(20)),
                 static_cast<unsigned char>(bytes[24]), static_cast<unsigned char>(bytes[25])};
  require_legal_size(h.width, h.height, name);
  if (h.depth == 16)
    refuse(name, code::sixteen_bit_picture, "has samples of 16 bits", "use 1 to 8 bits a sample");
  if (h.colour == PNG_COLOR_TYPE_GRAY_ALPHA || h.colour == PNG_COLOR_TYPE_RGB_ALPHA)
    refuse(name, code::picture_alpha, "has an alpha channel",
           "use grey, palette or RGB without alpha");
  return h;
}

struct Reading {
  std::string_view left;  // bytes that libpng has not consumed
  std::uint8_t* samples = nullptr;
  std::size_t stride = 0;
  int height = 0;
  bool transparent = false;
  char message[200] = "damaged";
};

[[noreturn]] void on_read_error(png_structp png, png_const_charp text) {
  auto& r = *static_cast<Reading*>(png_get_error_ptr(png));
  std::strncpy(r.message, text, sizeof r.message - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void take(png_structp png, png_bytep to, std::size_t count) {
  auto& r = *static_cast<Reading*>(png_get_io_ptr(png));
  if (count > r.left.size()) png_error(png, "it is cut off");
  std::memcpy(to, r.left.data(), count);
  r.left.remove_prefix(count);
}

// False after a longjmp, with the reason in r.message.
bool read_info(png_structp png, png_infop info, Reading& r) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_read_info(png, info);
  r.transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  return true;
}

bool read_rows(png_structp png, png_infop info, Reading& r) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_expand(png);  // palette to RGB, 1, 2 and 4 bits of grey to 8
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != r.stride) png_error(png, "its rows have another length");
  for (int pass = 0; pass < passes; ++pass)
    for (int y = 0; y < r.height; ++y)
      png_read_row(png, r.samples + static_cast<std::size_t>(y) * r.stride, nullptr);
  png_read_end(png, nullptr);
  return true;
}

struct Writing {
  const Image* image;
  std::string* out;
  char message[200] = "";
};

[[noreturn]] void on_write_error(png_structp png, png_const_charp text) {
  auto& w = *static_cast<Writing*>(png_get_error_ptr(png));
  std::strncpy(w.message, text, sizeof w.message - 1);
  png_longjmp(png, 1);
}

void put(png_structp png, png_bytep from, std::size_t count) {
  static_cast<Writing*>(png_get_io_ptr(png))->out->append(reinterpret_cast<char*>(from), count);
}

bool write_rows(png_structp png, png_infop info, Writing& w) {
  if (setjmp(png_jmpbuf(png))) return false;
  const Image& i = *w.image;
  png_set_IHDR(png, info, static_cast<png_uint_32>(i.width), static_cast<png_uint_32>(i.height), 8,
               i.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  // Set explicitly: the bytes must not depend on the library's defaults.
  png_set_compression_level(png, 6);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_ALL_FILTERS);
  png_write_info(png, info);
  for (int y = 0; y < i.height; ++y) png_write_row(png, &i.samples[i.index(0, y)]);
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

bool is_png(std::string_view bytes) {
  return !bytes.empty() &&
         bytes.substr(0, 8) == signature.substr(0, std::min<std::size_t>(bytes.size(), 8));
}

Image decode_png(std::string_view bytes, const std::string& name) {
  const Header header = legal_header(bytes, name);
  Image image = make_image(static_cast<int>(header.width), static_cast<int>(header.height),
                           header.colour & PNG_COLOR_MASK_COLOR ? 3 : 1);
  Reading r{.left = bytes,
            .samples = image.samples.data(),
            .stride = image.index(0, 1),
            .height = image.height};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_read_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) throw std::bad_alloc();
  png_set_read_fn(png, &r, take);
  bool good = read_info(png, info, r);
  if (good && !r.transparent) good = read_rows(png, info, r);
  png_destroy_read_struct(&png, &info, nullptr);
  if (!good)
    refuse(name, code::picture_damaged, fmt::format("is a PNG that cannot be read ({})", r.message),
           "give a whole, undamaged file");
  if (r.transparent)
    refuse(name, code::picture_alpha, "has transparent colours",
           "use grey, palette or RGB without alpha");
  return image;
}

std::string encode_png(const Image& image) {
  require_consistent(image);
  if (image.maximum != 255)
    throw DesignError(
        code::picture_white,
        fmt::format("the picture has white = {}; for PNG it must be 255", image.maximum));
  std::string out;
  Writing w{.image = &image, .out = &out};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, on_write_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) throw std::bad_alloc();
  png_set_write_fn(png, &w, put, nullptr);
  const bool good = write_rows(png, info, w);
  png_destroy_write_struct(&png, &info);
  if (!good)
    throw FileError(code::file_not_written, fmt::format("a PNG could not be made: {}", w.message));
  return out;
}

}  // namespace kumiki::backends
