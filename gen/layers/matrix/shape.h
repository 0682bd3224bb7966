// SPDX-License-Identifier: Apache-2.0
// The shape of a convolution. A matrix product is a convolution with a 1x1 kernel and one line.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kumiki::gen::matrix {

// One number for both axes, or one for each.
struct Axes {
  std::int64_t y = 1, x = 1;
  Axes(std::int64_t both) : Axes(both, both) {}
  Axes(std::int64_t along_y, std::int64_t along_x) : y(along_y), x(along_x) {}
  std::vector<std::int64_t> all() const { return {y, x}; }
  bool operator==(const Axes&) const = default;
};

// One number for all sides, or one for each.
struct Padding {
  std::int64_t top = 0, left = 0, bottom = 0, right = 0;
  Padding(std::int64_t around) : Padding(around, around, around, around) {}
  Padding(std::int64_t above, std::int64_t before, std::int64_t below, std::int64_t behind)
      : top(above), left(before), bottom(below), right(behind) {}
  std::vector<std::int64_t> all() const { return {top, left, bottom, right}; }
  bool any() const { return top + left + bottom + right > 0; }
  bool operator==(const Padding&) const = default;
};

// One number if all are equal: "1", "2x1", "0x0x1x1".
std::string to_string(const Axes& axes);
std::string to_string(const Padding& padding);

struct ConvShape {
  std::int64_t in_channels = 1, height = 1, width = 1;
  std::int64_t out_channels = 1;
  std::int64_t kernel_height = 1, kernel_width = 1;
  Axes stride = 1;
  Padding padding = 0;
  Axes dilation = 1;
  std::int64_t groups = 1;

  std::int64_t group_in() const { return in_channels / groups; }
  std::int64_t group_out() const { return out_channels / groups; }
  std::int64_t padded_height() const { return height + padding.top + padding.bottom; }
  std::int64_t padded_width() const { return width + padding.left + padding.right; }
  std::int64_t out_height() const {
    return outputs(padded_height(), kernel_height, stride.y, dilation.y);
  }
  std::int64_t out_width() const {
    return outputs(padded_width(), kernel_width, stride.x, dilation.x);
  }
  std::int64_t macs() const {
    return out_channels * out_height() * out_width() * group_in() * kernel_height * kernel_width;
  }
  // Index into a list of weights [out][in of its group][ky][kx].
  std::int64_t weight_index(std::int64_t out, std::int64_t in, std::int64_t ky,
                            std::int64_t kx) const {
    return ((out * group_in() + in) * kernel_height + ky) * kernel_width + kx;
  }
  std::int64_t weight_count() const {
    return out_channels * group_in() * kernel_height * kernel_width;
  }
  bool operator==(const ConvShape&) const = default;

 private:
  static std::int64_t outputs(std::int64_t padded, std::int64_t kernel, std::int64_t step,
                              std::int64_t apart) {
    const std::int64_t span = (kernel - 1) * apart + 1;
    return padded < span ? 0 : (padded - span) / step + 1;
  }
};

}  // namespace kumiki::gen::matrix
