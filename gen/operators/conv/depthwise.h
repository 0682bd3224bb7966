// SPDX-License-Identifier: Apache-2.0
// Depthwise kernels with fewer slices than positions.
//
// Each lane has a chain of `parallel` slices. Each slice has a memory that holds the last lines of
// the map, and reads one number a clock from it. The last slice accumulates the chain's sums over
// the steps of a window, or a slice behind it. The address moves from slice to slice, one clock
// each. Each memory was written at its own offset, so the same address finds another position of
// the kernel in it.
#pragma once
#include <array>
#include <vector>

#include "gen/layers/pipeline/machines/raster.h"
#include "gen/layers/pipeline/machines/results.h"
#include "gen/operators/conv/depthwise_kernels.h"

namespace kumiki::gen::pipeline {

// How the positions of the kernel are divided: slices compute some at once, and the others follow
// in steps.
struct DepthwiseSteps {
  std::int64_t lines = 1, columns = 1;                 // steps
  std::vector<std::array<std::int64_t, 2>> of_slices;  // line and column at the first step
  std::int64_t count() const { return lines * columns; }
};

// Lanes that one copy of the address feeds.
constexpr std::size_t lanes_of_a_copy = 8;

struct DepthwisePlan : DepthwiseKernels {
  // Slices of a lane: one, one for each line of the kernel, or for each column.
  std::int64_t parallel = 1;
  std::int64_t ring = 0;  // words of a memory, a power of two; 0: as many as it needs
  // A slice of its own accumulates: where there is no W, none adds P and PCIN to a product.
  bool adds_apart = false;

  std::optional<std::string> why_not() const;  // empty: it can be built
  DepthwiseSteps steps() const;
  std::int64_t least_ring() const;
  std::int64_t words() const { return ring == 0 ? least_ring() : ring; }
  bool is_in_luts() const;
  std::int64_t brams_18k() const;
  ResultsPlan results() const { return {.clocks = 5 + slices_of_lane()}; }
  Ring schedule() const;
  std::int64_t slices_of_lane() const { return parallel + (adds_apart ? 1 : 0); }
  std::int64_t slices() const { return stream.lanes * slices_of_lane(); }
  int levels() const { return 3; }
  std::string kind() const { return "depthwise"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const DepthwisePlan&) const = default;
};

// The plan with the smallest ring with which a frame takes at most 1 % more clocks than with a ring
// of four times the least size; then with smaller rings that take at least two block memories fewer
// for each slice of a lane.
std::vector<DepthwisePlan> with_rings(DepthwisePlan plan);

MachineOut<Hardware> build(Scope& s, const DepthwisePlan& plan, const MachineIn<Hardware>& in);

}  // namespace kumiki::gen::pipeline
