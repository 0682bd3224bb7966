// SPDX-License-Identifier: Apache-2.0
// An estimate of delay by the same rule for a plan, its netlist and any other netlist: good for
// comparisons, not for closing timing. Picoseconds of an average 7 series part.
#pragma once
#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

struct DelayModel {
  static constexpr unsigned lut = 800;      // with the wire to it
  static constexpr unsigned chain = 600;    // into a carry chain and out of it
  static constexpr unsigned position = 28;  // each position that the carry passes
  static constexpr unsigned mux = 300;      // MUXF7 and MUXF8
};

struct Timing {
  unsigned levels = 0;      // LUTs
  unsigned carry_bits = 0;  // positions passed, all chains of the path together
  unsigned picoseconds = 0;
};

// The timing of a combinational tree: the longest path through every stage.
Timing estimate(const TreePlan& plan);

}  // namespace kumiki::gen::compressor
