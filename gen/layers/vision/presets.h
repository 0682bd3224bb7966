// SPDX-License-Identifier: Apache-2.0
// Kernels that have a name.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kumiki::gen::vision {

// Rows from the top, columns from the left. A window's result is the sum of pixels times the
// coefficients where they lie (a correlation, as everybody who says convolution here means it).
struct Kernel {
  int size = 3;
  std::vector<std::int64_t> coefficients;
};

enum class Preset {
  convolve,  // the user's own
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
  std::vector<Kernel> kernels;  // one a result
  std::int64_t divisor = 1;     // what makes the sum a grey value again
};

// Throws DesignError for a size that the preset does not have.
PresetKernels preset_kernels(Preset preset, int size);

// v and h with v[row] * h[column] = coefficient, or nothing.
struct Separation {
  std::vector<std::int64_t> vertical, horizontal;
};
bool separate(const Kernel& kernel, Separation& into);

}  // namespace kumiki::gen::vision
