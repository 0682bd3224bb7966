// SPDX-License-Identifier: Apache-2.0
// From the words of the slices to the results: adders where the plan has any, wires where not.
#pragma once
#include <vector>

#include "gen/blocks/packing/hardware/slices.h"
#include "gen/blocks/packing/hardware/sum.h"

namespace kumiki::gen::packing {

struct ResultControls {
  Net enable;
  DelayLine<Net>* last = nullptr;         // last cycle of a round; plans with words and rounds
  DelayLine<Net>* first_round = nullptr;  // plans with rounds
  DelayLine<Net>* first = nullptr;  // first cycle of a round; operand sums of plans with words
};

// What results are sums of, beside the operands.
struct ResultSources {
  const std::vector<SInt>& words;
  const std::vector<Word>& counters;
  const std::vector<Addend>& carries;
};

// One word a result, all of them `plan.latency - (plan.cycles() - 1)` clocks after the last cycle's
// first operand; width and sign as the plan says.
std::vector<Word> build_results(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                                const ResultSources& sources, const ResultControls& controls);

}  // namespace kumiki::gen::packing
