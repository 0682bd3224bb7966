// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/layers/pipeline/machines/requantise.h"
#include "gen/operators/global_average/machine.h"
#include "gen/operators/matmul/machine.h"

namespace kumiki::gen::pipeline {
namespace {

// The fewest lanes that keep the pace, or the most.
std::int64_t lanes_of(const graph::Graph& g, const graph::Node& n, const graph::MatMul& op,
                      std::int64_t clocks) {
  const graph::MatMulSizes sizes = sizes_of(op, graph::ends_of(g, n));
  const std::int64_t most = op.by_pixels == 1 ? sizes.outputs : sizes.terms;
  for (std::int64_t lanes = 1; lanes < most; ++lanes)
    if (most % lanes == 0 && runs_of(op, sizes, lanes).clocks() <= clocks) return lanes;
  return most;
}

RequantisePlan requantised(const Foldings& f, const graph::Node& n, const Stream& sums) {
  const graph::Graph& g = f.graph();
  return requantise(
      n, sums, g.tensors[n.output].format,
      {.rule = graph::rules_of(g, n)[0], .accumulators = graph::reachable_of(g, n)[0]}, f.limits());
}

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::MatMul& op) {
  const graph::Node& n = l.node(i);
  const graph::Graph& g = l.graph();
  if (op.lines != 0) throw NoMachine(n, "it has a line for each group; only an engine does that");
  const std::int64_t lanes = lanes_of(g, n, op, l.clocks());
  const MatMulRuns runs = runs_of(op, sizes_of(op, graph::ends_of(g, n)), lanes);
  const Source a = l.with_lanes(l.read(n, 0), op.by_pixels == 1 ? 1 : lanes, n.name);
  const Source b = l.with_lanes(l.read(n, 1), lanes, n.name);
  const ReorderPlan first = repeated_first(a.stream, runs),
                    second = repeated_second(op, b.stream, runs);
  for (const ReorderPlan* p : {&first, &second})
    if (const auto why = p->why_not()) throw NoMachine(n, *why);
  const MatMulPlan plan{
      .a = first.output(),
      .b = second.output(),
      .factors = {a.stream.format, b.stream.format, g.tensors[n.inputs[0]].zero_point,
                  g.tensors[n.inputs[1]].zero_point}};
  const Source products = l.add(n.name, machine(plan),
                                {l.add(n.name + "_first", machine(first), {a}),
                                 l.add(n.name + "_second", machine(second), {b})});
  const AveragePlan sums{.stream = products.stream,
                         .by_lines = true,
                         .seen_as = stream_of(g.tensors[n.output], products.stream.lanes)};
  if (const auto why = sums.why_not()) throw NoMachine(n, *why);
  const Source whole = l.add(n.name + "_sums", machine(sums), {products});
  return l.add(n.name + "_numbers",
               l.foldings().kept(i, {whole.stream},
                                 [&] { return requantised(l.foldings(), n, whole.stream); }),
               {whole});
}

// It sets its own lanes.
std::int64_t slices_behind(const Behind&, std::size_t, std::size_t, std::int64_t,
                           const graph::MatMul&) {
  return 0;
}

}  // namespace kumiki::gen::pipeline
