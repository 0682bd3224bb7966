// SPDX-License-Identifier: Apache-2.0
// The tensors that operators read and make: numbers of few bits.
//
// A number q of a tensor stands for scale * (q - zero point). A tensor belongs to one image:
// [channels][rows][columns] of a map, [features] of a vector; the last index is the fastest.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gen/arith/format.h"
#include "gen/arith/interval.h"

namespace kumiki::gen::graph {

using arith::Format;

using Shape = std::vector<int>;
std::size_t count(const Shape& shape);      // of its numbers
std::string to_string(const Shape& shape);  // "3x32x32"

struct Tensor {
  std::string name;
  Shape shape;
  Format format{8, true};
  int zero_point = 0;
  float scale = 1;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

// The range in which memory stores a tensor: that of its format, with at most 32 bits if signed.
arith::Interval numbers_of(const Tensor& tensor);
// The lowest number of its format.
std::int32_t lowest(const Tensor& tensor);
float real_value(const Tensor& tensor, std::int64_t number);  // (number - zero point) * scale

// The numbers of a map that form one number of the next map: rows first, columns second.
struct Window {
  std::array<int, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<int, 2> before{0, 0}, after{0, 0};  // padding
  friend bool operator==(const Window&, const Window&) = default;

  int taps() const { return kernel[0] * kernel[1]; }
  int reach(int axis) const { return (kernel[axis] - 1) * dilation[axis] + 1; }
  // Positions of the window along an axis of this length; below 1 the window does not fit.
  int positions(int axis, int length) const {
    return (length + before[axis] + after[axis] - reach(axis)) / stride[axis] + 1;
  }
  // Whether all taps lie in the padding at some position.
  bool sees_nothing(int axis, int length) const;
};

// Calls f(row, column) for each place of the map under the window at a position, row by row;
// padding is left out.
template <class F>
void for_taps(const Window& w, const Shape& map, int row, int column, F&& f) {
  for (int kr = 0; kr < w.kernel[0]; ++kr)
    for (int kc = 0; kc < w.kernel[1]; ++kc) {
      const int r = row * w.stride[0] - w.before[0] + kr * w.dilation[0];
      const int k = column * w.stride[1] - w.before[1] + kc * w.dilation[1];
      if (r >= 0 && r < map[1] && k >= 0 && k < map[2]) f(r, k);
    }
}

}  // namespace kumiki::gen::graph
