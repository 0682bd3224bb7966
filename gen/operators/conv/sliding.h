// SPDX-License-Identifier: Apache-2.0
// Depthwise kernels with a slice for each position, which take a beat in every clock.
//
// The map passes once. A kernel of n lines has n - 1 memories, each with one line of the map. They
// give the numbers of one column of the kernel together. Shift registers keep its other columns.
// The slices of a lane form a chain, in which each starts a clock after the one before it. Its
// number waits as long: in the register A1 of the slice, and in flip-flops.
#pragma once
#include "gen/layers/pipeline/machines/results.h"
#include "gen/operators/conv/depthwise_kernels.h"

namespace kumiki::gen::pipeline {

struct SlidingPlan : DepthwiseKernels {
  std::optional<std::string> why_not() const;  // empty: it can be built
  // Beats from a number to the one below it in the kernel, and to the one beside it.
  std::int64_t down() const;
  std::int64_t right() const { return window.dilation[1] * stream.blocks(); }
  // Clocks by which the slice of the first position is late.
  std::int64_t late() const;
  std::int64_t brams_18k() const;
  Walk schedule() const;
  std::int64_t slices() const { return stream.lanes * positions(); }
  int levels() const { return 3; }
  std::string kind() const { return "depthwise"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const SlidingPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const SlidingPlan& plan, const MachineIn<Hardware>& in);

}  // namespace kumiki::gen::pipeline
