// SPDX-License-Identifier: Apache-2.0
// Random shapes of a convolution whose sides differ.
#pragma once
#include <algorithm>

#include "gen/layers/matrix/shape.h"
#include "tests/support/random.h"

namespace kumiki::test {

// Gives some shapes a stride, a dilation and a padding of every side of their own, and all of them
// a map that is no smaller than the kernel.
inline void vary_sides(gen::matrix::ConvShape& s, tests::Random& random) {
  if (random.one_in(3)) {
    s.stride.x = random.between(1, 2);
    s.dilation.x = random.between(1, 2);
    s.padding = {random.below(3), random.below(3), random.below(3), random.below(3)};
  }
  s.height = std::max(s.height,
                      (s.kernel_height - 1) * s.dilation.y + 1 - s.padding.top - s.padding.bottom);
  s.width =
      std::max(s.width, (s.kernel_width - 1) * s.dilation.x + 1 - s.padding.left - s.padding.right);
}

}  // namespace kumiki::test
