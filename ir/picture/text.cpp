// SPDX-License-Identifier: Apache-2.0
#include "ir/picture/text.h"

#include <algorithm>

namespace kumiki::picture {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct Decoded {
  char32_t point = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t point = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < least[bytes] || point > 0x10FFFF) return {};
  return {point, bytes};
}

// The characters that XML allows, less the control characters that HTML forbids.
bool is_printable(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n';
  return !(c >= 0x7F && c < 0xA0) && !(c >= 0xD800 && c < 0xE000) && (c & 0xFFFE) != 0xFFFE &&
         !(c >= 0xFDD0 && c < 0xFDF0);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded c = decode(text);
    if (c.bytes == 0 || !is_printable(c.point))
      out += replacement;
    else if (c.point == '<')
      out += "&lt;";
    else if (c.point == '>')
      out += "&gt;";
    else if (c.point == '&')
      out += "&amp;";
    else if (c.point == '"')
      out += "&quot;";
    else if (c.point == '\'')
      out += "&#39;";
    else if (c.point == '@')
      out += "&#64;";
    else
      out += text.substr(0, c.bytes);
    text.remove_prefix(std::max<std::size_t>(c.bytes, 1));
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

namespace {

bool begins_letter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

int letters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), begins_letter));
}

std::string both_ends(std::string_view text, int most) {
  const int all = letters(text), last = (most - 2) / 2, first = most - 2 - last;
  if (all <= most) return std::string(text);
  std::string out;
  int number = 0;  // of the letter
  for (const char c : text) {
    if (begins_letter(c) && ++number == first + 1) out += "..";
    if (number <= first || number > all - last) out += c;
  }
  return out;
}

}  // namespace kumiki::picture
