// SPDX-License-Identifier: Apache-2.0
// Named kernels.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kumiki::gen::vision {

// Rows from the top, columns from the left. The result of a window is the sum of every pixel times
// the coefficient at its position: a correlation, which image processing calls convolution.
struct Kernel {
  int size = 3;
  std::vector<std::int64_t> coefficients;
};

enum class Preset {
  convolve,  // the user's own coefficients
  box,
  gaussian,
  sharpen,
  emboss,
  laplacian,
  sobel_x,
  sobel_y,
  sobel,  // x and y
  scharr_x,
  scharr_y,
  scharr,
};

struct PresetKernels {
  std::vector<Kernel> kernels;  // one for each result
  std::int64_t divisor = 1;     // sum / divisor is a grey value
};

// Throws DesignError for a size that the preset does not have.
PresetKernels preset_kernels(Preset preset, int size);

// Finds v and h with v[row] * h[column] = coefficient; separate() returns false if there are none.
struct Separation {
  std::vector<std::int64_t> vertical, horizontal;
};
bool separate(const Kernel& kernel, Separation& into);

}  // namespace kumiki::gen::vision
