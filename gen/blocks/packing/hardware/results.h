// SPDX-License-Identifier: Apache-2.0
// From the words of the slices to the results: adders if the plan has any, otherwise wires.
#pragma once
#include <vector>

#include "gen/blocks/packing/hardware/slices.h"
#include "gen/blocks/packing/hardware/sum.h"

namespace kumiki::gen::packing {

struct ResultControls {
  Net enable;
  DelayLine<Net>* last = nullptr;         // last cycle of a round; for plans with words and rounds
  DelayLine<Net>* first_round = nullptr;  // for plans with rounds
  DelayLine<Net>* first = nullptr;  // first cycle of a round; for operand sums of plans with words
};

// The summands of the results, besides the operands.
struct ResultSources {
  const std::vector<SInt>& words;
  const std::vector<Word>& counters;
  const std::vector<Addend>& carries;
};

// One word a result. All are valid `plan.latency - (plan.cycles() - 1)` clocks after the last
// cycle's first operand. The plan gives width and sign.
std::vector<Word> build_results(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                                const ResultSources& sources, const ResultControls& controls);

}  // namespace kumiki::gen::packing
