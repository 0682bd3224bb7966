// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/arg_max/machine.h"

namespace kumiki::gen::pipeline {

Source machines(Lowering& l, std::size_t i, const graph::ArgMax&) {
  const graph::Node& n = l.node(i);
  const Source in = l.with_lanes(l.read(n), 1, n.name);
  return l.add(n.name, machine(ArgMaxPlan{in.stream, l.format_of(n.output)}), {in});
}

// The index comes in one lane.
std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t, std::int64_t,
                           const graph::ArgMax&) {
  return b.of_numbers(b.graph().nodes[i].output, 1);
}

}  // namespace kumiki::gen::pipeline
