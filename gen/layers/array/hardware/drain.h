// SPDX-License-Identifier: Apache-2.0
// The path of the results: from the slices' memories row by row, through sums of slots and pooling,
// then word by word through the requantisation. Nothing on it ever stalls: a row is read if there
// is room after the last stage, and a word leaves if there is room after the lanes.
#pragma once
#include "gen/layers/array/hardware/queue.h"
#include "gen/layers/array/hardware/walk.h"
#include "gen/layers/array/ports.h"

namespace kumiki::gen::array {

// How the drain handles a row of results. The flags travel with the row.
struct RowFlags {
  Net valid, fc, first_slot, emit, odd, pooled, three, average, relu, row_last, last, final;
  Net right;        // the row belongs to the right-hand part
  UInt row, words;  // words: number of words minus one
  UInt layer;       // only if results are requantised as float32
};

// The engine that reads the captured sums. `room`: there is room for one more row.
struct Reading {
  Net released;    // a half has been read to its end
  UInt at;         // {half, slot}
  RowFlags flags;  // of the row read in this clock
};
Reading build_reading(Scope& s, const ArrayPlan& plan, const Config& config, Net block_captured,
                      Net room);

// All slices of the array, as read for a row of results.
struct Sums {
  std::vector<std::vector<UInt>> rows;  // [row][slice of the row]
  std::vector<UInt> edge;               // last columns of odd rows, one slice for two rows
};

// Complete accumulators, summed over slots and pooled: a row for the output.
struct DrainedRow {
  Net valid;
  Net fc, relu, row_last, last, final;
  UInt left, layer;  // left: words minus one
  std::vector<UInt> words;
};
DrainedRow build_results(Scope& s, const ArrayPlan& plan, const Config& config,
                         const RowFlags& read, const Sums& sums);

struct Leaving {
  Net par_ready, valid, last, final;
  std::vector<UInt> data;
  std::vector<Net> keep;
  Net row_taken;  // a row moved from the queue to the lanes
};
Leaving build_leaving(Scope& s, const ArrayPlan& plan, const Config& config,
                      const ArrayIn<Hardware>& in, const DrainedRow& row);

}  // namespace kumiki::gen::array
