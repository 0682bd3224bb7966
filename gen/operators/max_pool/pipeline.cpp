// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/max_pool/machine.h"

namespace kumiki::gen::pipeline {

Source machines(Lowering& l, std::size_t i, const graph::MaxPool& pool) {
  const graph::Node& n = l.node(i);
  const std::int64_t lanes =
      lanes_in_time(MaxPoolPlan{.stream = l.read(n).stream, .window = pool.window}, l.clocks());
  const Source in = l.with_lanes(l.read(n), lanes, n.name);
  const MaxPoolPlan plan{.stream = in.stream, .window = pool.window};
  if (const auto why = plan.why_not()) throw NoMachine(n, *why);
  return l.add(n.name, machine(plan), {in});
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const graph::MaxPool& pool) {
  const Stream in = stream_of(b.graph().tensors[read], lanes);
  return b.of_numbers(b.graph().nodes[i].output,
                      lanes_in_time(MaxPoolPlan{.stream = in, .window = pool.window}, b.clocks()));
}

}  // namespace kumiki::gen::pipeline
