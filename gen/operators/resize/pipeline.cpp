// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/resize/machine.h"

namespace kumiki::gen::pipeline {
namespace {

struct Repetition {
  Stream stream;
  std::array<int, 2> factor;
  Lines schedule() const { return repeated(stream, factor).schedule(); }
};

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::Resize& op) {
  const graph::Node& n = l.node(i);
  if (op.factor == std::array{1, 1}) return l.read(n);
  const std::int64_t lanes = lanes_in_time(Repetition{l.read(n).stream, op.factor}, l.clocks());
  const Source in = l.with_lanes(l.read(n), lanes, n.name);
  const ReorderPlan plan = repeated(in.stream, op.factor);
  if (const auto why = plan.why_not()) throw NoMachine(n, *why);
  return l.add(n.name, machine(plan), {in});
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const graph::Resize& op) {
  const Stream in = stream_of(b.graph().tensors[read], lanes);
  return b.of_numbers(b.graph().nodes[i].output,
                      lanes_in_time(Repetition{in, op.factor}, b.clocks()));
}

}  // namespace kumiki::gen::pipeline
