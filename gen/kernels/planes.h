// SPDX-License-Identifier: Apache-2.0
// A padded map in the form in which a convolution reads it.
//
// A plane holds the channels of a word: pairs are numbers minus the zero point, and their padding
// is 0; quads are bytes from 0 on, and their padding is the zero point. With a stride, a plane is
// cut into phases, one for each remainder of row and column that taps read. In this form every tap
// is an offset. Results are counted in the width of a phase, so that consecutive results read
// consecutive numbers, also from one row to the next. The last results of a row are no results of
// the map if a phase is wider than it.
//
// Bytes of a single channel are four neighbours of a line in a word, as four taps of a result read
// them. Then there is a plane for every four columns of the kernel, as wide as the result.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kumiki::gen::kernels {

// Index 0 is rows, 1 is columns.
struct Taps {
  std::array<int, 2> in{1, 1}, out{1, 1};  // sizes of the map and of the result
  std::array<int, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<int, 2> before{0, 0};  // padding
};

// How numbers of a map become words.
struct Words {
  std::size_t channels = 2;  // 1, 2 or 4; a single one leaves the rest of a word 0
  bool are_bytes = false;    // otherwise numbers of 16 bits
  bool in_lines = false;     // bytes of one channel, four neighbours in a word; without dilation
  std::int32_t less = 0;     // what is taken off a number
  std::int32_t padding = 0;  // a word of the padding
};

class Planes {
 public:
  Planes(const Taps& taps, const Words& words);

  std::size_t size() const { return size_; }  // of a plane, in words
  // Of each tap; in lines, of every four columns of each row of taps.
  const std::vector<std::size_t>& offsets() const { return offsets_; }
  std::size_t width() const { return static_cast<std::size_t>(width_); }
  // The results, counted up to the last one of the map.
  std::size_t results() const;

  // Makes a plane of the channels of a word. Needs AVX2. `less` has been taken off bytes already.
  template <class Number>
  void fill(const std::array<const Number*, 4>& channels, std::int32_t* plane) const;

 private:
  template <class Number>
  void fill_lines(const Number* map, std::int32_t* plane) const;
  Taps taps_;
  Words words_;
  std::array<std::vector<int>, 2> phases_;
  int height_ = 0, width_ = 0;  // of a phase
  std::size_t size_ = 0;
  std::vector<std::size_t> offsets_;
};

}  // namespace kumiki::gen::kernels
