// SPDX-License-Identifier: Apache-2.0
// An estimate of delay for plans of trees, before there is a netlist: good for comparisons among
// them. Netlists have backends/timing. Picoseconds of an average 7 series part.
#pragma once
#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

struct DelayModel {
  static constexpr unsigned lut = 800;      // with the wire to it
  static constexpr unsigned chain = 600;    // into a carry chain and out of it
  static constexpr unsigned position = 28;  // each position that the carry passes
};

struct Timing {
  unsigned picoseconds = 0;
};

// The timing of a combinational tree: the longest path through every stage.
Timing estimate(const TreePlan& plan);

}  // namespace kumiki::gen::compressor
