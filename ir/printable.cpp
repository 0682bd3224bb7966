// SPDX-License-Identifier: Apache-2.0
#include "ir/printable.h"

#include <algorithm>

#include <fmt/format.h>

namespace kumiki {
namespace {

// Separators of lines and paragraphs, embeddings, overrides and isolates.
bool turns_lines(unsigned code) {
  return (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr unsigned char lead_of_c1 = 0xC2, past_c1 = 0xA0, delete_byte = 0x7F;
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  std::string all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned byte = at(i), next = at(i + 1);
    const unsigned wide = byte == 0xE2 && (next & 0xC0) == 0x80 && (at(i + 2) & 0xC0) == 0x80
                              ? 0x2000u | (next & 0x3F) << 6 | (at(i + 2) & 0x3F)
                              : 0;
    if (byte < ' ' || byte == delete_byte) {
      all += fmt::format("\\x{:02X}", byte);
    } else if (byte == lead_of_c1 && next >= 0x80 && next < past_c1) {
      all += fmt::format("\\x{:02X}", next);
      ++i;
    } else if (turns_lines(wide)) {
      all += fmt::format("\\u{:04X}", wide);
      i += 2;
    } else {
      all += text[i];
    }
  }
  return all;
}

std::string printable_lines(std::string_view text) {
  std::string all;
  for (std::size_t from = 0;;) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    all += printable(text.substr(from, end - from));
    if (end == text.size()) return all;
    all += '\n';
    from = end + 1;
  }
}

}  // namespace kumiki
