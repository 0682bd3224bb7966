// SPDX-License-Identifier: Apache-2.0
// Reads numbers from a file, such as weights as training writes them.
//
//   .npy  booleans or integers in any dimensions, C or Fortran order; format 1.0, 2.0 or 3.0.
//         With a scale the file has real numbers, which are quantised
//         as ONNX' QuantizeLinear does it
//   .csv  integers, a line a row, between commas; '#' begins a comment
//   .hex  words in the format of $readmemh. A word is a row of bits, bit i is entry i, or one two's
//         complement number, as the reader requires; `bits` of it count, all of its digits if 0
//   .bin  only numbers, little-endian, of the named type: "int8", "uint16"; .raw too
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::gen::config {

struct Numbers {
  std::vector<std::size_t> shape;    // rows and columns, or the dimensions of a .npy
  std::vector<std::int64_t> values;  // the last dimension runs fastest

  // As a matrix: all dimensions but the first make one row; a single dimension is one row.
  std::size_t rows() const;
  std::size_t columns() const;
  // Whether it is a list: at most one dimension is not 1.
  bool is_flat() const;
};

struct NumbersWanted {
  bool single_bits = false;  // entries are 0 or 1
  bool is_signed = true;
  unsigned bits = 0;      // of a word of a .hex file
  std::string type = {};  // of the numbers of a .bin or .raw file
  float scale = 0;        // of the real numbers of a .npy file; 0: it has integers
};

// FileError that says what is wrong and what is required.
Numbers read_numbers(const std::filesystem::path& path, const NumbersWanted& wanted);

// The same from the bytes of a file; the suffix of `name` selects the format, and messages use
// `name`.
Numbers parse_numbers(std::string_view bytes, const std::string& name, const NumbersWanted& wanted);

}  // namespace kumiki::gen::config
