// SPDX-License-Identifier: Apache-2.0
// The position in a set of operands. A set takes `plan.cycles()` enabled clocks, the first one with
// `valid`; the next set may begin at once.
#pragma once
#include <vector>

#include "gen/blocks/packing/plan.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::packing {

// A counter that `enable` advances; it may have a single state. `first` and `last` are flip-flops
// beside it, set a step ahead, so no comparison follows the counter.
struct Position {
  UInt value;  // no bits if there is a single state
  Net first = ir::net_one, last = ir::net_one;
  Net before_last = ir::net_zero;  // the value before the last one; a comparison
};

Position position(Scope& s, std::int64_t modulo, Net enable, Net reset);

// 1 while a counter is in [from, to): a flip-flop beside it.
Net between(Scope& s, const Position& at, std::int64_t from, std::int64_t to, Net enable,
            Net reset);

struct Sequence {
  Net done;         // last cycle of a set
  Net first;        // first cycle of a round; also while idle
  Net last;         // last cycle of a round
  Net first_round;  // also while idle
  std::vector<Net>
      no_term;  // [slot]: nothing to multiply in this cycle; open: it always has a term
};

Sequence build_sequence(Scope& s, const PackingPlan& plan, Net valid, Net enable, Net reset);

// `bit`, delayed by `cycles` enabled clocks; a reset clears it.
Net delayed_valid(Scope& s, Net bit, int cycles, Net enable, Net reset);

}  // namespace kumiki::gen::packing
