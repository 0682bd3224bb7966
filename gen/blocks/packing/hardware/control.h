// SPDX-License-Identifier: Apache-2.0
// Where in a set of operands we are. A set takes `plan.cycles()` enabled clocks from the one in
// which `valid` is seen on; then the next may begin at once.
#pragma once
#include <vector>

#include "gen/blocks/packing/plan.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::packing {

struct Sequence {
  Net done;                  // last cycle of a set
  Net first;                 // first cycle of a round; also while nothing runs
  Net last;                  // last cycle of a round
  Net first_round;           // also while nothing runs
  std::vector<Net> no_term;  // [slot]: nothing to multiply in this cycle; open: never so
};

Sequence build_sequence(Scope& s, const PackingPlan& plan, Net valid, Net enable, Net reset);

// `bit`, so many enabled clocks later and forgotten by a reset.
Net delayed_valid(Scope& s, Net bit, int cycles, Net enable, Net reset);

}  // namespace kumiki::gen::packing
