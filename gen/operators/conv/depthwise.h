// SPDX-License-Identifier: Apache-2.0
// A convolution of every channel with a kernel of its own. Sums are of w * q: the requantiser
// applies zero points and bias. The border of the map holds the zero point of the input.
//
// Each lane has a chain of `parallel` slices. Each slice has a memory that holds the last lines of
// the map, and reads one number a clock from it. The last slice accumulates the chain's sums over
// the steps of a window. The address moves from slice to slice, one clock each. Each memory was
// written at its own offset, so the same address finds another position of the kernel in it.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machine.h"
#include "gen/layers/pipeline/machines/raster.h"
#include "gen/layers/pipeline/machines/results.h"

namespace kumiki::gen::pipeline {

// How the positions of the kernel are divided: slices compute some at once, and the others follow
// in steps.
struct DepthwiseSteps {
  std::int64_t lines = 1, columns = 1;                 // steps
  std::vector<std::array<std::int64_t, 2>> of_slices;  // line and column at the first step
  std::int64_t count() const { return lines * columns; }
};

struct DepthwisePlan {
  Stream stream;
  std::int64_t zero_point = 0;
  graph::Window window;
  std::vector<std::int16_t> weights;  // [channel][line][column]
  // Slices of a lane: one, one for each line of the kernel, for each column, or for each position.
  std::int64_t parallel = 1;
  std::int64_t ring = 0;  // words of a memory, a power of two; 0: as many as it needs
  // The format of unscaled results; empty: as wide as the sums.
  std::optional<arith::Format> numbers = {};

  std::optional<std::string> why_not() const;  // empty: it can be built
  std::int64_t positions() const { return std::int64_t{window.kernel[0]} * window.kernel[1]; }
  DepthwiseSteps steps() const;
  RasterPlan raster() const;  // of the map with its border
  std::int64_t least_ring() const;
  std::int64_t words() const { return ring == 0 ? least_ring() : ring; }
  ResultsPlan results() const { return {.clocks = 5 + parallel}; }
  arith::Interval weight_range() const;
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const;
  Ring schedule() const;
  std::int64_t slices() const { return stream.lanes * parallel; }
  int levels() const { return 3; }
  std::string kind() const { return "depthwise"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const DepthwisePlan&) const = default;
};

// Chooses the smallest ring with which a frame takes at most 1 % more clocks than with a ring of
// four times the least size.
DepthwisePlan with_ring(DepthwisePlan plan);

MachineOut<Hardware> build(Scope& s, const DepthwisePlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const DepthwisePlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
