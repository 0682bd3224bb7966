// SPDX-License-Identifier: Apache-2.0
// The part of a matrix that only computes: ring, weight memories, columns, and the registers
// between them; with two clocks it runs on clk2x. It has no enable and never waits. The results of
// a set leave `core_latency` minus `issue_latency` clocks after its last operands. The only logic
// between memory and slice selects a word of a beat, with registers on both sides.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/exit.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

// A beat on its way into the ring, from registers.
struct RingWrite {
  Net enable;
  UInt address;
  // [row]: the words of a beat, the first one lowest. With two clocks, the words of the rows that
  // share their slices follow.
  std::vector<UInt> data;
};

// Weights on their way into their memories, from registers; empty if they are embedded.
struct WeightWrite {
  std::vector<Net> enable;   // [row of slices]
  UInt word;                 // tile x words + word; with two clocks the half of the rows follows
  std::vector<UInt> data;    // [channel of the tile]
  std::vector<UInt> before;  // the same of the row before, if weights are reloaded
};

struct CoreIn {
  Net rst;
  std::vector<RingWrite> ring;  // [rows / rows_of_a_copy()]
  WeightWrite weights;
  // For row 0, every pixel and position; the other rows see them with the skew of their operands.
  std::vector<UInt> pixel_addresses;
  UInt weight_address;
  Net start, last, ends;  // as the feeder gives them
};

// The read mode of a core's memories.
ir::memory::Read read_of(const MatrixPlan& plan);

// A small table of weights by address, from registers.
UInt weights_in_luts(Scope& s, const MatrixPlan& plan, const std::vector<std::uint64_t>& contents,
                     std::uint32_t width, const UInt& address);

Results build_core(Scope& s, const MatrixPlan& plan, const CoreIn& in);

}  // namespace kumiki::gen::matrix
