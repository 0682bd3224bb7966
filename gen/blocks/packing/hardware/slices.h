// SPDX-License-Identifier: Apache-2.0
// The slices of a plan: one DSP48E2 each, wired as its kind specifies.
#pragma once
#include <vector>

#include "gen/blocks/packing/plan.h"
#include "gen/hdl/delay_line.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::packing {

// One cycle's operands, raw bits as on the user's ports: [operand][slot]. Slot j belongs to the
// slice whose `term` is j. It must reach the port of that slice `arrival(plan, slice)` clocks after
// the first operand of its set. A slot that no slice multiplies may be left empty.
struct OperandNets {
  std::vector<std::vector<Word>> packed, shared;

  const Word& at(OperandRef ref, std::int64_t slot) const {
    return (ref.side == Side::Packed ? packed : shared)[ref.index][slot];
  }
};

inline int arrival(const PackingPlan& plan, const Slice& slice) {
  return slice.cycle - plan.multiply_latency;
}

struct SliceControls {
  Net enable;
  // 1 in the first cycle of a result, with its first operands; ignored if no slice accumulates.
  DelayLine<Net>* first = nullptr;
  // [slot]: 1 if the slot has no term in this cycle, at the time its operands arrive; the product
  // is cleared. Empty or open if that never happens.
  std::vector<Net> no_term;
};

// P of every slice.
std::vector<SInt> build_slices(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                               const SliceControls& controls);

}  // namespace kumiki::gen::packing
