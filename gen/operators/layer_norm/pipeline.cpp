// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/embed/machine.h"
#include "gen/operators/layer_norm/machine.h"

namespace kumiki::gen::pipeline {
namespace {

struct Norm {
  MomentsPlan moments;
  RootPlan root;
  NormalPlan normal;
  std::int64_t slices() const { return moments.slices() + root.slices() + normal.slices(); }
};

Norm norm_of(const graph::LayerNorm& op, const graph::Tensor& in, const graph::Tensor& out,
             Stream stream, std::int64_t clocks) {
  const graph::NormIntegers integers = integers_of(op, in, out);
  Norm made{.moments = {stream, integers.center}, .root = {}, .normal = {}};
  stream.lanes = std::min(lanes_in_time(made.moments, clocks), MomentsPlan::most_lanes);
  made.moments.stream = stream;
  made.root = {made.moments.output(), integers};
  made.normal = {stream, integers, made.root.word(), out.format};
  return made;
}

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::LayerNorm& op) {
  const graph::Node& n = l.node(i);
  require_integers(n, op.integers);
  require_w(n, l.foldings().limits());
  const Norm norm = norm_of(op, l.graph().tensors[n.inputs[0]], l.graph().tensors[n.output],
                            l.read(n).stream, l.clocks());
  const Source numbers = l.with_lanes(l.read(n), norm.normal.stream.lanes, n.name);
  const Source moments = l.add(n.name + "_moments", machine(norm.moments), {numbers});
  const Source root = l.add(n.name + "_root", machine(norm.root), {moments});
  const Source for_beats = l.add(n.name + "_for_beats",
                                 machine(spread(root.stream, norm.normal.stream.blocks())), {root});
  return l.add(n.name, machine(norm.normal), {numbers, for_beats});
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const graph::LayerNorm& op) {
  const graph::Node& n = b.graph().nodes[i];
  if (op.integers == 0) return 0;
  const graph::Tensor& in = b.graph().tensors[read];
  const Norm norm = norm_of(op, in, b.graph().tensors[n.output], stream_of(in, lanes), b.clocks());
  return norm.slices() + b.of_numbers(n.output, norm.normal.stream.lanes);
}

}  // namespace kumiki::gen::pipeline
