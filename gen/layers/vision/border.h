// SPDX-License-Identifier: Apache-2.0
// What a window sees past the edge of a picture.
#pragma once
#include <optional>
#include <vector>

namespace kumiki::gen::vision {

enum class Border {
  replicate,  // aaa|abcd|ddd
  reflect,    // dcb|abcd|cba, over and over where the picture is smaller than the window
  constant,   // one value
};

// The pixel that stands for the one at `offset` from a pixel with `before` pixels on the one side
// of it and `after` on the other, as an offset from it; nothing: the constant.
std::optional<int> border_source(Border border, int offset, int before, int after);

// All that may stand for the pixel at `offset` when there are any numbers of pixels on both sides;
// the pixel itself comes first, the constant (nothing) last.
std::vector<std::optional<int>> border_sources(Border border, int offset, int radius);

}  // namespace kumiki::gen::vision
