// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/resize/machine.h"

namespace kumiki::gen::pipeline {
namespace {

// The lanes of the incoming map, or more if the larger map would take too many clocks.
std::int64_t lanes_of_resize(const Stream& stream, const graph::Resize& op, std::int64_t clocks) {
  ResizePlan plan{.stream = stream, .factor = op.factor};
  while (plan.interval() > clocks && plan.stream.lanes < stream.channels)
    plan.stream.lanes = std::min(plan.stream.lanes + stream.lanes, stream.channels);
  return plan.stream.lanes;
}

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::Resize& op) {
  const graph::Node& n = l.node(i);
  if (op.factor == std::array{1, 1}) return l.read(n);
  const std::int64_t lanes = lanes_of_resize(l.read(n).stream, op, l.clocks());
  const Source in = l.with_lanes(l.read(n), lanes, n.name);
  const ResizePlan plan{.stream = in.stream, .factor = op.factor};
  if (const auto why = plan.why_not()) throw NoMachine(n, *why);
  return l.add(n.name, machine<ResizeModel>(plan), {in});
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const graph::Resize& op) {
  const Stream in = stream_of(b.graph().tensors[read], lanes);
  return b.of_numbers(b.graph().nodes[i].output, lanes_of_resize(in, op, b.clocks()));
}

}  // namespace kumiki::gen::pipeline
