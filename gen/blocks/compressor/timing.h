// SPDX-License-Identifier: Apache-2.0
// A delay estimate for plans of trees, before there is a netlist: good for comparing them.
// backends/timing analyses netlists.
#pragma once
#include "gen/blocks/compressor/plan.h"
#include "ir/primitive.h"

namespace kumiki::gen::compressor {

// Picoseconds.
struct DelayModel {
  unsigned lut;       // including the wire to it
  unsigned chain;     // into a carry chain and out of it
  unsigned position;  // each position that the carry passes

  static DelayModel of(ir::Family family);
};

struct Timing {
  unsigned picoseconds = 0;
};

// The timing of a combinational tree: the longest path through every stage.
Timing estimate(const TreePlan& plan, ir::Family family = ir::Family::series7);

}  // namespace kumiki::gen::compressor
