// SPDX-License-Identifier: Apache-2.0
// The part of a matrix that only computes: ring, weight memories, columns, and the registers
// between them; with two clocks it is on clk2x. It has no enable and waits for nothing: what goes
// in with `start` comes out `core_latency` less `issue_latency` clocks after the set's last
// operands. Between memory and slice there is no logic but the choice of a word of a beat, which
// has registers on both sides.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/exit.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

// A beat on its way into the ring, from registers.
struct RingWrite {
  Net enable;
  UInt address;
  // [row]: the words of a beat, the first one lowest; with two clocks behind them those of the rows
  // that share their slices.
  std::vector<UInt> data;
};

// Weights on their way into their memories, from registers; nothing where they are embedded.
struct WeightWrite {
  std::vector<Net> enable;  // [row of slices]
  UInt word;                // tile x words + word, with two clocks the half of the rows behind it
  std::vector<UInt> data;   // [channel of the tile]
};

struct CoreIn {
  Net rst;
  std::vector<RingWrite> ring;  // [rows / rows_of_a_copy()]
  WeightWrite weights;
  // Of row 0, of every pixel and position; the other rows see them as late as their operands.
  std::vector<UInt> pixel_addresses;
  UInt weight_address;
  Net start, last, ends;  // as the feeder gives them
};

// How the memories of a core are read.
ir::memory::Read read_of(const MatrixPlan& plan);

// Few weights by their address, from registers.
UInt weights_in_luts(Scope& s, const MatrixPlan& plan, const std::vector<std::uint64_t>& contents,
                     std::uint32_t width, const UInt& address);

Results build_core(Scope& s, const MatrixPlan& plan, const CoreIn& in);

}  // namespace kumiki::gen::matrix
