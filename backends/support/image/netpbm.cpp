// SPDX-License-Identifier: Apache-2.0
// PGM and PPM: a header of numbers, blanks and comments, then samples as bytes or in digits.
#include <fmt/format.h>

#include "backends/support/image/formats.h"
#include "backends/support/image/messages.h"
#include "ir/name_pool.h"

namespace kumiki::backends {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Scanner {
 public:
  Scanner(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  // Reads a number after blanks and comments; `what` completes "… is missing".
  std::uint64_t number(std::string_view what) {
    skip();
    if (at_ == bytes_.size())
      refuse(name_, code::picture_cut_off, fmt::format("ends before {}", what),
             "give a whole file");
    if (!ir::is_digit(bytes_[at_]))
      refuse(name_, code::picture_damaged,
             fmt::format("has something else where {} should be (byte {})", what, at_),
             "use digits, blanks and # comments");
    std::uint64_t value = 0;
    for (; at_ < bytes_.size() && ir::is_digit(bytes_[at_]); ++at_)
      if (value < 1'000'000'000) value = value * 10 + static_cast<unsigned>(bytes_[at_] - '0');
    return value;
  }
  // Reads the single blank that ends the header of a raw file.
  void one_blank() {
    if (at_ == bytes_.size())
      refuse(name_, code::picture_cut_off, "ends before its samples", "give a whole file");
    if (!is_blank(bytes_[at_]))
      refuse(name_, code::picture_damaged, "has no blank between its header and its samples",
             "use exactly one");
    ++at_;
  }
  void skip() {
    for (; at_ < bytes_.size(); ++at_) {
      if (bytes_[at_] == '#')
        while (at_ + 1 < bytes_.size() && bytes_[at_] != '\n' && bytes_[at_] != '\r') ++at_;
      else if (!is_blank(bytes_[at_]))
        return;
    }
  }
  std::string_view rest() const { return bytes_.substr(at_); }
  void advance(std::size_t count) { at_ += count; }

 private:
  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
};

void require_sample(std::uint64_t value, const Image& image, std::size_t at,
                    const std::string& name) {
  if (value > static_cast<std::uint64_t>(image.maximum))
    refuse(name, code::sample_out_of_range, fmt::format("sample {} is {}", at, value),
           fmt::format("it must be 0 to {}, as its header says", image.maximum));
}

void read_plain(Scanner& scan, Image& image, const std::string& name) {
  for (std::size_t i = 0; i < image.samples.size(); ++i) {
    const std::uint64_t value =
        scan.number(fmt::format("sample {} of {}", i, image.samples.size()));
    require_sample(value, image, i, name);
    image.samples[i] = static_cast<std::uint8_t>(value);
  }
  scan.skip();
}

void read_raw(Scanner& scan, Image& image, const std::string& name) {
  scan.one_blank();
  const std::string_view rest = scan.rest();
  if (rest.size() < image.samples.size())
    refuse(name, code::picture_cut_off,
           fmt::format("is cut off: {} of {} samples are there", rest.size(), image.samples.size()),
           "give a whole file");
  for (std::size_t i = 0; i < image.samples.size(); ++i) {
    image.samples[i] = static_cast<std::uint8_t>(rest[i]);
    require_sample(image.samples[i], image, i, name);
  }
  scan.advance(image.samples.size());
}

}  // namespace

bool is_netpbm(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == 'P' && ir::is_digit(bytes[1]) &&
         (bytes.size() == 2 || is_blank(bytes[2]) || bytes[2] == '#');
}

Image decode_netpbm(std::string_view bytes, const std::string& name) {
  const char kind = bytes[1];
  if (kind != '2' && kind != '3' && kind != '5' && kind != '6')
    refuse(name, code::unknown_picture_format, fmt::format("is a P{} file", kind),
           "use P2, P3, P5 or P6 (PGM and PPM)");
  Scanner scan(bytes, name);
  scan.advance(2);
  const std::uint64_t width = scan.number("its width");
  const std::uint64_t height = scan.number("its height");
  require_legal_size(width, height, name);
  const std::uint64_t maximum = scan.number("its largest value");
  if (maximum > 255)
    refuse(name, code::sixteen_bit_picture,
           fmt::format("has samples of 16 bits (up to {})", maximum),
           "use 8 bits, with a largest value of 1 to 255");
  if (maximum == 0)
    refuse(name, code::picture_white, "has 0 as its largest value", "it must be 1 to 255");
  const bool plain = kind <= '3';
  const int channels = kind == '3' || kind == '6' ? 3 : 1;
  // Checked before allocating memory. A sample takes a byte; in digits it also takes the blank in
  // between.
  const std::size_t samples = width * height * static_cast<std::size_t>(channels);
  if (bytes.size() < (plain ? 2 * samples - 1 : samples))
    refuse(name, code::picture_cut_off,
           fmt::format("is cut off: its header announces {} samples", samples),
           "give a whole file");
  Image image = make_image(static_cast<int>(width), static_cast<int>(height), channels);
  image.maximum = static_cast<int>(maximum);
  plain ? read_plain(scan, image, name) : read_raw(scan, image, name);
  if (!scan.rest().empty())
    refuse(name, code::picture_damaged,
           fmt::format("has {} bytes after its last sample", scan.rest().size()),
           "a file must have one picture");
  return image;
}

std::string encode_netpbm(const Image& image, bool plain) {
  require_consistent(image);
  const char kind = static_cast<char>((image.channels == 3 ? '3' : '2') + (plain ? 0 : 3));
  std::string text =
      fmt::format("P{}\n{} {}\n{}\n", kind, image.width, image.height, image.maximum);
  if (!plain) {
    text.append(image.samples.begin(), image.samples.end());
    return text;
  }
  std::size_t column = 0;  // lines of at most 70 characters, as the format requires
  for (const std::uint8_t s : image.samples) {
    const std::string digits = std::to_string(s);
    if (column + 1 + digits.size() > 70) text += '\n', column = 0;
    if (column > 0) text += ' ', ++column;
    text += digits;
    column += digits.size();
  }
  return text + '\n';
}

}  // namespace kumiki::backends
