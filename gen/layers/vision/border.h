// SPDX-License-Identifier: Apache-2.0
// The pixels of a window beyond the edge of a picture.
#pragma once
#include <optional>
#include <vector>

namespace kumiki::gen::vision {

enum class Border {
  replicate,  // aaa|abcd|ddd
  reflect,    // dcb|abcd|cba, repeatedly if the picture is smaller than the window
  constant,   // one value
};

// One direction, for a pixel with `before` pixels on one side and `after` on the other: the offset
// of the pixel that replaces the one at `offset`. Empty: the constant.
std::optional<int> border_source(Border border, int offset, int before, int after);

// All possible replacements for `offset`, for any numbers of pixels on both sides. The pixel itself
// comes first, the constant (empty) last.
std::vector<std::optional<int>> border_sources(Border border, int offset, int radius);

}  // namespace kumiki::gen::vision
