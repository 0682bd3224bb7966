// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers in files: .npy as numpy.save writes it, read and written, and IDX of unsigned
// bytes, the format of MNIST.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::gen::config {

struct NumberType {
  char kind = 'i';    // b boolean, i integer, u integer without a sign, f floating point
  unsigned size = 1;  // bytes
  bool is_real() const { return kind == 'f'; }
  friend bool operator==(const NumberType&, const NumberType&) = default;
};
std::string to_string(NumberType type);  // "int8", "float32", "bool"

using ArrayShape = std::vector<std::size_t>;
std::size_t count(const ArrayShape& shape);            // of its entries
std::string to_string(const ArrayShape& shape);        // "2x3"; of a single number "()"
std::string place_in(const ArrayShape&, std::size_t);  // "[1][2]", of the entry in C order

// The contents of a file. The bytes are not copied and must outlive the array.
struct Array {
  std::string name;  // of the file, for messages
  NumberType type;
  ArrayShape shape;
  std::string_view data;          // little-endian
  bool is_fortran_order = false;  // the first dimension runs fastest in `data`

  // Of the entry in C order, whose last dimension runs fastest. FileError: unsigned 64 bits.
  std::int64_t integer(std::size_t at) const;
  double real(std::size_t at) const;

 private:
  std::uint64_t raw(std::size_t at) const;
};

struct ArrayWanted {
  bool reals = false;  // of 4 or 8 bytes, beside booleans and integers
  std::size_t most_entries = 16'000'000;
};

bool is_npy(std::string_view bytes);
bool is_idx(std::string_view bytes);
// FileError that says what is wrong and what is required.
Array parse_npy(std::string_view bytes, const std::string& name, const ArrayWanted& wanted);
Array parse_idx(std::string_view bytes, const std::string& name, std::size_t most_entries);

// The header of a .npy file before its entries, byte for byte as numpy.save writes it.
std::string npy_header(NumberType type, const ArrayShape& shape);

}  // namespace kumiki::gen::config
