// SPDX-License-Identifier: Apache-2.0
// A convolution of every channel with a kernel of its own. Sums are of w * q: the requantiser
// applies zero points and bias. The border of the map holds the zero point of the input.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct DepthwiseKernels {
  Stream stream;
  std::int64_t zero_point = 0;
  graph::Window window;
  std::vector<std::int16_t> weights;  // [channel][line][column]
  // The format of unscaled results; empty: as wide as the sums.
  std::optional<arith::Format> numbers = {};

  std::optional<std::string> why_not() const;  // empty: it has a meaning, and a map of legal size
  std::int64_t positions() const { return std::int64_t{window.kernel[0]} * window.kernel[1]; }
  // The kernel at a position, for all channels of a lane, one after the other; 0 behind the last.
  std::vector<std::int64_t> weights_at(std::int64_t position, std::int64_t lane) const;
  RasterPlan raster() const;  // of the map with its border
  arith::Interval weight_range() const;
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const;
  std::string size() const;  // "8 kernels of 3x3, stride 1x1"
  bool operator==(const DepthwiseKernels&) const = default;
};

Lanes beat(const DepthwiseKernels& kernels, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
