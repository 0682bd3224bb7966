// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/global_average/machine.h"

namespace kumiki::gen::pipeline {

Source machines(Lowering& l, std::size_t i, const graph::GlobalAverage&) {
  const graph::Node& n = l.node(i);
  const Source in = l.read(n);
  AveragePlan plan{.stream = in.stream};
  plan.numbers = l.foldings().numbers(i, plan.sum());
  if (const auto why = plan.why_not()) throw NoMachine(n, *why);
  return l.numbers(i, l.add(n.name, machine(plan), {in}));
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const graph::GlobalAverage&) {
  const AveragePlan average{.stream = stream_of(b.graph().tensors[read], lanes)};
  return b.slices(i, average.output());
}

}  // namespace kumiki::gen::pipeline
