// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/add/machine.h"
#include "gen/operators/constant/machine.h"

namespace kumiki::gen::pipeline {
namespace {

// The input whose lanes an Add keeps: the first one that is no constant. A converter changes those
// of the other.
std::size_t lead_of(const graph::Graph& g, const graph::Node& n) {
  return constant_of(g, n.inputs[0]) != nullptr ? 1 : 0;
}

std::int64_t slices_of_lane(const Behind& b, std::size_t i) {
  const graph::Node& n = b.graph().nodes[i];
  const auto& tensors = b.graph().tensors;
  const Stream first = stream_of(tensors[n.inputs[0]], 1),
               second = stream_of(tensors[n.inputs[1]], 1);
  // Unscaled sums come in fewer bits than their tensor has.
  return legal(first, second) ? b.foldings().added(i, first, second)->slices() : 0;
}

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::Add&) {
  const graph::Node& n = l.node(i);
  const std::size_t lead = lead_of(l.graph(), n);
  const Source first = l.read(n, lead);
  const graph::TensorId other = n.inputs[1 - lead];
  const Source second = constant_of(l.graph(), other) != nullptr
                            ? constant_beside(l, other, first)
                            : l.with_lanes(l.read(n, 1 - lead), first.stream.lanes, n.name);
  const Source &a = lead == 0 ? first : second, &b = lead == 0 ? second : first;
  return l.add(n.name, l.foldings().added(i, a.stream, b.stream), {a, b});
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const graph::Add&) {
  const graph::Node& n = b.graph().nodes[i];
  if (n.inputs[lead_of(b.graph(), n)] != read) return 0;
  return slices_of_lane(b, i) * lanes + b.of_numbers(n.output, lanes);
}

}  // namespace kumiki::gen::pipeline
