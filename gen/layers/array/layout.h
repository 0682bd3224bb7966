// SPDX-License-Identifier: Apache-2.0
// A layer cut into blocks for an array: the outputs of a block, the needs of a window, and how
// often everything runs. The README of this folder describes the order.
#pragma once
#include <algorithm>

#include "gen/arith/certificate.h"
#include "gen/layers/array/cost.h"
#include "gen/layers/array/plan.h"
#include "gen/layers/array/reference.h"

namespace kumiki::gen::array {

// One direction of a map, cut in blocks. A sum is an output before pooling, a result one after it.
struct Side {
  std::int64_t results = 1;  // of the map
  std::int64_t block = 1;    // results in a block
  std::int64_t pitch = 1;    // sums from the start of a block to the start of the next
  std::int64_t lap = 0;      // overlap of neighbouring pooling windows, in sums: 0 for 2x2, 1 for
                             // 3x3
  bool pooled = false;

  std::int64_t blocks() const { return (results + block - 1) / block; }
  std::int64_t results_of(std::int64_t i) const { return std::min(block, results - i * block); }
  // Sums that the results of block i need.
  std::int64_t sums_of(std::int64_t i) const {
    return pooled ? 2 * results_of(i) + lap : results_of(i);
  }
};

struct Layout {
  Kind kind = Kind::conv;
  // Convolution.
  Phases phases;
  Side down, across;
  std::int64_t groups = 1, channels = 1, outputs = 1;  // in a group
  SubBlocks parts;                                     // of the array, working on one map
  std::int64_t turns = 1;                              // of a group; each part computes T outputs
                                                       // in a turn
  std::int64_t depth = 1;                              // T
  std::int64_t window = 1, bank_groups = 1;            // addresses in a window, beats in an address
  // Fully connected: `channels` inputs, `outputs` outputs in `blocks()` blocks of `elements`. With
  // a batch at once, outputs go down the array and images go across.
  std::int64_t elements = 1, columns = 1;
  bool batch = false;

  std::int64_t taps = 1;  // of a kernel, all phases together
  std::int64_t blocks() const {
    return kind == Kind::fc && !batch ? (outputs + elements - 1) / elements
                                      : down.blocks() * across.blocks();
  }
  std::int64_t weight_groups() const { return groups * turns; }
  // Outputs of a full turn, and of one turn.
  std::int64_t turn_outputs() const { return depth * parts.parts(); }
  std::int64_t slots(std::int64_t turn) const {
    return kind == Kind::fc ? std::min(depth, channels)
                            : std::min(turn_outputs(), outputs - turn * turn_outputs());
  }
  std::int64_t outputs_of(std::int64_t block) const {  // fully connected
    return std::min(elements, outputs - block * elements);
  }
  // Common operands in a lot, and steps in a block.
  std::int64_t block_steps() const { return kind == Kind::fc ? channels : taps * channels * depth; }
  std::int64_t all_blocks() const { return weight_groups() * blocks(); }
  std::int64_t steps() const { return all_blocks() * block_steps(); }
  std::int64_t windows() const { return all_blocks() * channels; }
};

// The array for the cost model.
Array cost_array(const ArrayPlan& plan, double clock_mhz = 200);

// Throws DesignError if the layer does not run on this array, with the reason and what would run.
Layout layout(const ArrayPlan& plan, const LayerJob& job);
// Checks the weights and the other numbers of a layer. Throws DesignError for a wrong count or
// range, and for sums that overflow the accumulators for some input. Returns the bounds of the
// sums. `offsets`: added to the sums of each channel; empty: nothing.
arith::Certificate check_numbers(const ArrayPlan& plan, const LayerJob& job,
                                 const std::vector<std::int64_t>& offsets);

Arithmetic arithmetic_of(const ArrayPlan& plan);

}  // namespace kumiki::gen::array
