// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/embed/machine.h"

namespace kumiki::gen::pipeline {
namespace {

// The repetition sets the pace: the table is as fast.
struct Spread {
  Stream stream;
  std::int64_t times;
  Lines schedule() const { return spread(stream, times).schedule(); }
};

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::Embed& op) {
  const graph::Node& n = l.node(i);
  const std::int64_t lanes = lanes_in_time(Spread{l.read(n).stream, op.size}, l.clocks());
  const Source in = l.with_lanes(l.read(n), lanes, n.name);
  const ReorderPlan repeated = spread(in.stream, op.size);
  if (const auto why = repeated.why_not()) throw NoMachine(n, *why);
  const EmbedPlan plan{
      .stream = repeated.output(), .format = l.format_of(n.output), .vectors = op.vectors};
  if (const auto why = plan.why_not()) throw NoMachine(n, *why);
  const Source indices = l.add(n.name + "_indices", machine(repeated), {in});
  return l.add(n.name, machine(plan), {indices});
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const graph::Embed& op) {
  const Stream in = stream_of(b.graph().tensors[read], lanes);
  return b.of_numbers(b.graph().nodes[i].output, lanes_in_time(Spread{in, op.size}, b.clocks()));
}

}  // namespace kumiki::gen::pipeline
