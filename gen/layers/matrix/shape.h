// SPDX-License-Identifier: Apache-2.0
// The shape of a convolution. A matrix product is a convolution with a 1x1 kernel and one line.
#pragma once
#include <cstdint>

namespace kumiki::gen::matrix {

struct ConvShape {
  std::int64_t in_channels = 1, height = 1, width = 1;
  std::int64_t out_channels = 1;
  std::int64_t kernel_height = 1, kernel_width = 1;
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;

  std::int64_t group_in() const { return in_channels / groups; }
  std::int64_t group_out() const { return out_channels / groups; }
  std::int64_t padded_height() const { return height + 2 * padding; }
  std::int64_t padded_width() const { return width + 2 * padding; }
  std::int64_t out_height() const { return outputs(padded_height(), kernel_height); }
  std::int64_t out_width() const { return outputs(padded_width(), kernel_width); }
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
  std::int64_t outputs(std::int64_t padded, std::int64_t kernel) const {
    const std::int64_t span = (kernel - 1) * dilation + 1;
    return padded < span ? 0 : (padded - span) / stride + 1;
  }
};

}  // namespace kumiki::gen::matrix
