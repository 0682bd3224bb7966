// SPDX-License-Identifier: Apache-2.0
// A padded map in the form in which a convolution reads it.
//
// A plane holds the channels of a word: pairs are numbers minus the zero point, and their padding
// is 0; quads are bytes from 0 on, and their padding is the zero point. With a stride, a plane is
// cut into phases, one for each remainder of row and column that taps read. In this form every tap
// is an offset. Results are counted in the width of a phase, so that consecutive results read
// consecutive numbers, also from one row to the next. The last results of a row are no results of
// the map if a phase is wider than it.
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
  std::int32_t less = 0;     // what is taken off a number
  std::int32_t padding = 0;  // a word of the padding
};

class Planes {
 public:
  explicit Planes(const Taps& taps);

  std::size_t size() const { return size_; }                            // of a plane, in words
  const std::vector<std::size_t>& offsets() const { return offsets_; }  // of each tap
  std::size_t width() const { return static_cast<std::size_t>(width_); }
  // The results, counted up to the last one of the map.
  std::size_t results() const;

  // Makes a plane of the channels of a word. Needs AVX2.
  void fill(const std::array<const std::int32_t*, 4>& channels, const Words& words,
            std::int32_t* plane) const;

 private:
  Taps taps_;
  std::array<std::vector<int>, 2> phases_;
  int height_ = 0, width_ = 0;  // of a phase
  std::size_t size_ = 0;
  std::vector<std::size_t> offsets_;
};

}  // namespace kumiki::gen::kernels
