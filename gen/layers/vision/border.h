// SPDX-License-Identifier: Apache-2.0
// Which pixels a window sees past the edge of a picture.
#pragma once
#include <optional>
#include <vector>

namespace kumiki::gen::vision {

enum class Border {
  replicate,  // aaa|abcd|ddd
  reflect,    // dcb|abcd|cba, over and over where the picture is smaller than the window
  constant,   // one value
};

// In one direction, from a pixel with `before` pixels on one side and `after` on the other: the
// offset of the pixel that is used for the one at `offset`. Nothing: the constant.
std::optional<int> border_source(Border border, int offset, int before, int after);

// All offsets that may be used for the one at `offset`, for any numbers of pixels on both sides.
// The pixel itself comes first, the constant (nothing) last.
std::vector<std::optional<int>> border_sources(Border border, int offset, int radius);

}  // namespace kumiki::gen::vision
