// SPDX-License-Identifier: Apache-2.0
// Windows multiplied and added in DSP48E2: one pass over the whole window. If every kernel is a
// column times a row and this takes fewer slices: one pass down the columns and one along the row.
#pragma once
#include <memory>

#include "gen/layers/vision/operation.h"
#include "gen/layers/vision/pass.h"
#include "gen/layers/vision/presets.h"

namespace kumiki::gen::vision {

enum class Passes { fewest_slices, one, two };

struct ConvolutionRequest {
  std::string name;  // "gaussian"
  std::vector<Kernel> kernels;
  Format input;
  int lanes = 1;
  Passes passes = Passes::fewest_slices;
  bool loadable = false;
  int coefficient_bits = 8;
  packing::Limits limits;
};

// Throws DesignError if two passes are requested for a kernel that does not separate.
std::unique_ptr<WindowOperation> make_convolution(const ConvolutionRequest& request);

}  // namespace kumiki::gen::vision
