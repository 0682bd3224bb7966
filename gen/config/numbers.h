// SPDX-License-Identifier: Apache-2.0
// Numbers out of a file: weights as training leaves them.
//
//   .npy  one or two dimensions of booleans or integers, C order
//   .csv  integers, a line a row, between commas; '#' begins a comment
//   .hex  words as $readmemh takes them. A word is a row of bits, bit i is entry i, or one two's
//         complement number, whichever is wanted; `bits` of it count, all of its digits if 0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::gen::config {

struct Numbers {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::int64_t> values;  // row by row
};

struct NumbersWanted {
  bool single_bits = false;  // entries are 0 or 1
  bool is_signed = true;
  unsigned bits = 0;  // of a word of a .hex file
};

// FileError that says what is wrong and what is legal.
Numbers read_numbers(const std::filesystem::path& path, const NumbersWanted& wanted);

// The same from the bytes of a file; `name` with its suffix, for messages too.
Numbers parse_numbers(std::string_view bytes, const std::string& name, const NumbersWanted& wanted);

}  // namespace kumiki::gen::config
