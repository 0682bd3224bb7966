// SPDX-License-Identifier: Apache-2.0
#include "gen/config/numbers.h"

#include "ir/error.h"
#include "tests/fuzz/targets/targets.h"

namespace kumiki::fuzz {

void numbers(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes[0]);
  constexpr const char* names[] = {"w.npy", "w.csv", "w.hex", "w.bin"};
  constexpr const char* types[] = {"int8",  "uint8", "int16", "uint16",
                                   "int32", "int64", "",      "int9"};
  try {
    const auto n = gen::config::parse_numbers(bytes.substr(1), names[choice & 3],
                                              {.single_bits = (choice & 4) != 0,
                                               .is_signed = (choice & 8) != 0,
                                               .bits = static_cast<unsigned>(choice >> 4) * 5u,
                                               .type = types[choice >> 4 & 7]});
    require(n.values.size() == n.rows() * n.columns(), "rows times columns are not the values");
  } catch (const FileError&) {
  }
}

}  // namespace kumiki::fuzz
