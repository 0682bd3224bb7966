// SPDX-License-Identifier: Apache-2.0
// The layers of a network as an array of processing elements processes them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "ir/ceil_div.h"

namespace kumiki::gen::array {

enum class Kind { conv, fc };

struct ConvShape {
  std::int64_t in_channels = 1, height = 1, width = 1;
  std::int64_t out_channels = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1, dilation = 1, groups = 1;
  std::int64_t padding_before = 0, padding_after = 0;  // above and left, below and right
  std::optional<std::int64_t> padding_left = {}, padding_right = {};  // if they differ from above
                                                                      // and below

  std::int64_t group_in() const { return in_channels / groups; }
  std::int64_t group_out() const { return out_channels / groups; }
  std::int64_t span() const { return (kernel - 1) * dilation + 1; }
  std::int64_t above() const { return padding_before; }
  std::int64_t below() const { return padding_after; }
  std::int64_t left() const { return padding_left.value_or(padding_before); }
  std::int64_t right() const { return padding_right.value_or(padding_after); }
  std::int64_t out_height() const { return outputs(height + above() + below()); }
  std::int64_t out_width() const { return outputs(width + left() + right()); }
  bool operator==(const ConvShape&) const = default;

 private:
  std::int64_t outputs(std::int64_t padded) const {
    return padded < span() ? 0 : (padded - span()) / stride + 1;
  }
};

struct FcShape {
  std::int64_t inputs = 1, outputs = 1;
  std::int64_t batch = 1;  // images at once: more than one needs an array with batched_fc
  bool operator==(const FcShape&) const = default;
};

// A side of the array cut into parts of `size` elements, `offset` apart. Two elements that share a
// slice are never in different parts, so offsets are then even.
struct Cut {
  std::int64_t parts = 1, offset = 0, size = 0;
};
inline Cut cut(std::int64_t side, std::int64_t parts, bool pairs) {
  if (parts == 1) return {1, 0, side};
  const std::int64_t step = pairs ? 2 : 1, near = side / parts / step * step;
  auto with = [&](std::int64_t offset) {
    const std::int64_t size = std::min(offset, side - (parts - 1) * offset);
    return Cut{parts, offset, std::max<std::int64_t>(0, size)};
  };
  const Cut less = with(near), more = with(near + step);
  return more.size > less.size ? more : less;
}

struct LayerShape {
  std::string name;
  Kind kind = Kind::conv;
  ConvShape conv;  // if kind is conv
  FcShape fc;
  bool operator==(const LayerShape&) const = default;
};

}  // namespace kumiki::gen::array
