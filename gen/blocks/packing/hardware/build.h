// SPDX-License-Identifier: Apache-2.0
// Builds a packed dot product from its plan: slices, counters and sums.
#pragma once
#include <vector>

#include "gen/blocks/packing/hardware/control.h"
#include "gen/blocks/packing/hardware/slices.h"

namespace kumiki::gen::packing {

enum class Skew : std::uint8_t {
  Internal,  // all operands of a cycle arrive at once; registers align them with their slices
  External,  // slot j arrives with the skew of its slice (`arrival`), as inside a matrix of chains
};

// The hardware of a plan: one word for each result. All are valid `latency` enabled clocks after
// the first operand of the last cycle of a set.
struct BuiltDot {
  std::vector<Word> results;
  int latency = 0;
};

BuiltDot build_dot(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                   const Sequence& sequence, Skew skew, Net enable);

}  // namespace kumiki::gen::packing
