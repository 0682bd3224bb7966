// SPDX-License-Identifier: Apache-2.0
// The machine of a node whose result has numbers of its input in another order.
#pragma once
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/layers/pipeline/machines/reorder.h"

namespace kumiki::gen::pipeline {

template <class Op>
ReorderPlan reordered(const graph::Graph& g, const graph::Node& n, const Op& op,
                      std::int64_t clocks) {
  const graph::Tensor &in = g.tensors[n.inputs[0]], &out = g.tensors[n.output];
  return reordered(in, out, sources_of(op, in, out), clocks);
}

template <class Op>
Source add_reordered(Lowering& l, std::size_t i, const Op& op) {
  const graph::Node& n = l.node(i);
  const ReorderPlan plan = reordered(l.graph(), n, op, l.clocks());
  if (const auto why = plan.why_not()) throw NoMachine(n, *why);
  return l.add(n.name, machine(plan), {l.with_lanes(l.read(n), plan.stream.lanes, n.name)});
}

template <class Op>
std::int64_t slices_behind_reordered(const Behind& b, std::size_t i, const Op& op) {
  const graph::Node& n = b.graph().nodes[i];
  return b.of_numbers(n.output, reordered(b.graph(), n, op, b.clocks()).made.lanes);
}

}  // namespace kumiki::gen::pipeline
