// SPDX-License-Identifier: Apache-2.0
#include "ir/printable.h"

#include <fmt/format.h>

namespace kumiki {

std::string printable(std::string_view text) {
  constexpr unsigned char lead_of_c1 = 0xC2, past_c1 = 0xA0, delete_byte = 0x7F;
  std::string all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte < ' ' || byte == delete_byte) {
      all += fmt::format("\\x{:02X}", byte);
    } else if (byte == lead_of_c1 && next >= 0x80 && next < past_c1) {
      all += fmt::format("\\x{:02X}", next);
      ++i;
    } else {
      all += text[i];
    }
  }
  return all;
}

}  // namespace kumiki
