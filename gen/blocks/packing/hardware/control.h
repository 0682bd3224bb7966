// SPDX-License-Identifier: Apache-2.0
// The position in a set of operands. A set takes `plan.cycles()` enabled clocks, the first one with
// `valid`; the next set may begin at once.
#pragma once
#include <vector>

#include "gen/blocks/packing/plan.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::packing {

struct Sequence {
  Net done;         // last cycle of a set
  Net first;        // first cycle of a round; also while nothing runs
  Net last;         // last cycle of a round
  Net first_round;  // also while nothing runs
  std::vector<Net>
      no_term;  // [slot]: nothing to multiply in this cycle; open: it always has a term
};

Sequence build_sequence(Scope& s, const PackingPlan& plan, Net valid, Net enable, Net reset);

// `bit`, delayed by `cycles` enabled clocks and cleared by a reset.
Net delayed_valid(Scope& s, Net bit, int cycles, Net enable, Net reset);

}  // namespace kumiki::gen::packing
