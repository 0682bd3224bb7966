// SPDX-License-Identifier: Apache-2.0
// The path of the results: out of the slices' memories row by row, sums of slots, pooling, then
// word by word through the requantisation.
#pragma once
#include "gen/layers/array/hardware/walk.h"
#include "gen/layers/array/ports.h"

namespace kumiki::gen::array {

// How the drain handles a row of results. The flags travel with the row.
struct RowFlags {
  Net valid, fc, first_slot, emit, odd, pooled, three, average, relu, row_last, last, final;
  Net right;        // the row is of the right-hand part
  UInt row, words;  // words: number of words less one
  UInt layer;       // where results are requantised as float32
};

// The engine that reads the captured sums. `go`: the row it has read may move on.
struct Reading {
  Net released;    // a half has been read to its end
  UInt at;         // {half, slot}
  RowFlags flags;  // of the row read in this clock
};
Reading build_reading(Scope& s, const ArrayPlan& plan, const Config& config, Net block_captured,
                      Net go);

// All slices of the array, as a row of results needs them.
struct Sums {
  std::vector<std::vector<UInt>> rows;  // [row][slice of the row]
  std::vector<UInt> edge;               // last columns of odd rows, a slice for two rows
};

struct Drained {
  Net par_ready, valid, last, final;
  std::vector<UInt> data;
  std::vector<Net> keep;
};
// Drives `go`.
Drained build_results(Scope& s, const ArrayPlan& plan, const Config& config,
                      const ArrayIn<Hardware>& in, const RowFlags& read, const Sums& sums,
                      Wire<Net>& go);

}  // namespace kumiki::gen::array
