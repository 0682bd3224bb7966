// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/mul/machine.h"

namespace kumiki::gen::pipeline {
namespace {

MulPlan plan_of(const graph::Graph& g, const graph::Node& n, const Stream& a, const Stream& b) {
  return {.a = a,
          .b = b,
          .zero_a = g.tensors[n.inputs[0]].zero_point,
          .zero_b = g.tensors[n.inputs[1]].zero_point};
}

// The machines of a node: the products and the numbers made of them, or a table alone.
struct Made {
  std::shared_ptr<const Machine> first, numbers = nullptr;
  std::int64_t slices() const { return first->slices() + (numbers ? numbers->slices() : 0); }
};

Made made(const Foldings& f, std::size_t i, const Stream& a, const Stream& b) {
  const graph::Graph& g = f.graph();
  const graph::Node& n = g.nodes[i];
  const MulPlan plan = plan_of(g, n, a, b);
  const auto numbers = f.kept(i, {plan.output()}, [&]() -> std::shared_ptr<const Machine> {
    const auto found = requantised_products(g, n, plan, f.limits());
    return found ? machine(*found) : nullptr;
  });
  if (numbers) return {machine(plan), numbers};
  return {f.kept(i, {a, b}, [&] { return table_of_products(g, n, plan); })};
}

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::Mul&) {
  const graph::Node& n = l.node(i);
  const Source a = l.read(n, 0);
  const Source b = l.with_lanes(l.read(n, 1), a.stream.lanes, n.name);
  const Made m = made(l.foldings(), i, a.stream, b.stream);
  const Source products = l.add(n.name, m.first, {a, b});
  return m.numbers ? l.add(n.name + "_numbers", m.numbers, {products}) : products;
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const graph::Mul&) {
  const auto& tensors = b.graph().tensors;
  const graph::Node& n = b.graph().nodes[i];
  // It runs in the lanes of its first input; a converter changes those of the other.
  if (n.inputs[0] != read) return 0;
  const Made one =
      made(b.foldings(), i, stream_of(tensors[n.inputs[0]], 1), stream_of(tensors[n.inputs[1]], 1));
  return one.slices() * lanes + b.of_numbers(n.output, lanes);
}

}  // namespace kumiki::gen::pipeline
