// SPDX-License-Identifier: Apache-2.0
// A layer cut in blocks for an array: which outputs a block has, what a window needs, how often
// everything runs. The order is that of the README of this folder.
#pragma once
#include <algorithm>

#include "gen/arith/certificate.h"
#include "gen/layers/array/cost.h"
#include "gen/layers/array/plan.h"
#include "gen/layers/array/reference.h"

namespace kumiki::gen::array {

// One direction of a map: outputs after pooling, in blocks one after the other.
struct Side {
  std::int64_t results = 1;  // of the map, after pooling
  std::int64_t block = 1;    // of them in a block
  std::int64_t pitch = 1;    // sums from a block's first to the next one's
  std::int64_t lap = 0;      // sums that a pooling window has beyond 2 (1) or 1 (pool: 1)
  bool pooled = false;

  std::int64_t blocks() const { return (results + block - 1) / block; }
  std::int64_t results_of(std::int64_t i) const { return std::min(block, results - i * block); }
  // Sums that the results of block i are made of.
  std::int64_t sums_of(std::int64_t i) const {
    return pooled ? 2 * results_of(i) + lap : results_of(i);
  }
};

struct Layout {
  Kind kind = Kind::conv;
  // Convolution.
  Phases phases;
  Side down, across;
  std::int64_t groups = 1, channels = 1, outputs = 1;  // channels and outputs of a group
  SubBlocks parts;                                     // of the array, at work on one map
  std::int64_t turns = 1;                              // of T outputs a part in a group
  std::int64_t depth = 1;                              // T
  std::int64_t window = 1, bank_groups = 1;            // addresses of a window, beats of each
  // Fully connected: `channels` inputs, `outputs` outputs in `blocks()` blocks of `elements`. A
  // batch at once: outputs down the array and images across.
  std::int64_t elements = 1, columns = 1;
  bool batch = false;

  std::int64_t taps = 1;  // all of a kernel
  std::int64_t blocks() const {
    return kind == Kind::fc && !batch ? (outputs + elements - 1) / elements
                                      : down.blocks() * across.blocks();
  }
  std::int64_t weight_groups() const { return groups * turns; }
  // Outputs of a turn when there are enough, and of one turn.
  std::int64_t turn_outputs() const { return depth * parts.parts(); }
  std::int64_t slots(std::int64_t turn) const {
    return kind == Kind::fc ? std::min(depth, channels)
                            : std::min(turn_outputs(), outputs - turn * turn_outputs());
  }
  std::int64_t outputs_of(std::int64_t block) const {  // fully connected
    return std::min(elements, outputs - block * elements);
  }
  // Common operands of a lot, and steps of a block.
  std::int64_t block_steps() const { return kind == Kind::fc ? channels : taps * channels * depth; }
  std::int64_t all_blocks() const { return weight_groups() * blocks(); }
  std::int64_t steps() const { return all_blocks() * block_steps(); }
  std::int64_t windows() const { return all_blocks() * channels; }
};

// The array as the cost model sees it.
Array cost_array(const ArrayPlan& plan, double clock_mhz = 200);

// DesignError that says why the layer does not run on this array, and what would.
Layout layout(const ArrayPlan& plan, const LayerJob& job);
// DesignError where its weights and its other numbers do not fit: their count, their range, sums
// that leave the accumulators for some input. Otherwise what its sums can be at most.
arith::Certificate check_numbers(const ArrayPlan& plan, const LayerJob& job);

Arithmetic arithmetic_of(const ArrayPlan& plan);

}  // namespace kumiki::gen::array
