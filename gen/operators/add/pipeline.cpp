// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/add/machine.h"

namespace kumiki::gen::pipeline {
namespace {

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
  const Source a = l.read(n, 0);
  const Source b = l.with_lanes(l.read(n, 1), a.stream.lanes, n.name);
  return l.add(n.name, l.foldings().added(i, a.stream, b.stream), {a, b});
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const graph::Add&) {
  const graph::Node& n = b.graph().nodes[i];
  // An Add runs in the lanes of its first input; a converter changes those of the other.
  if (n.inputs[0] != read) return 0;
  return slices_of_lane(b, i) * lanes + b.of_numbers(n.output, lanes);
}

}  // namespace kumiki::gen::pipeline
