// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/embed/machine.h"
#include "gen/operators/softmax/machine.h"

namespace kumiki::gen::pipeline {
namespace {

// Its own lanes or the next ones that keep numbers of two groups apart and the pace; the most that
// there may be if none keep it.
GroupedStream grouped(Stream stream, std::int64_t groups, std::int64_t clocks) {
  GroupedStream g{stream, groups};
  const std::int64_t most = std::min(g.size(), ExponentialsPlan::most_lanes);
  g.stream.lanes = std::min(g.stream.lanes, most);
  while (!g.is_whole() || g.count() * g.beats() > clocks) {
    if (g.stream.lanes == most) break;
    ++g.stream.lanes;
  }
  while (!g.is_whole()) --g.stream.lanes;
  return g;
}

// A division for each group.
std::int64_t pace_of(const GroupedStream& g, std::int64_t clocks) {
  const DivisionPlan one{.stream = {}, .integers = {.factor = graph::SoftmaxIntegers::most_factor}};
  return std::clamp<std::int64_t>(clocks / g.count(), 1, one.steps());
}

DivisionPlan division(const GroupedStream& g, const graph::SoftmaxIntegers& integers,
                      const Stream& sums, std::int64_t clocks) {
  return {.stream = sums,
          .integers = integers,
          .pace = std::min(pace_of(g, clocks), std::int64_t{integers.reciprocal_bits()})};
}

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::Softmax& op) {
  const graph::Node& n = l.node(i);
  require_integers(n, op.integers);
  require_w(n, l.foldings().limits());
  const graph::SoftmaxIntegers integers =
      integers_of(l.graph().tensors[n.inputs[0]], l.graph().tensors[n.output]);
  GroupedStream g = grouped(l.read(n).stream, op.groups, l.clocks());
  const Source numbers = l.with_lanes(l.read(n), g.stream.lanes, n.name);
  // A number for each beat of its group.
  const auto for_beats = [&](const std::string& name, const Source& from) {
    return l.add(name, machine(spread(from.stream, g.beats())), {from});
  };
  const Source largest = for_beats(n.name + "_for_beats",
                                   l.add(n.name + "_largest", machine(LargestPlan{g}), {numbers}));
  const DistancesPlan below{g};
  const Source distances = l.add(n.name + "_distances", machine(below), {numbers, largest});
  g.stream = distances.stream;
  const Source sums = l.add(n.name + "_sums", machine(ExponentialsPlan{g, integers}), {distances});
  const Source reciprocals = for_beats(
      n.name + "_factors",
      l.add(n.name + "_division", machine(division(g, integers, sums.stream, l.clocks())), {sums}));
  const SharesPlan shares{g, integers, l.format_of(n.output)};
  return l.add(n.name, machine(shares), {distances, reciprocals});
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const graph::Softmax& op) {
  if (op.integers == 0) return 0;
  const graph::Node& n = b.graph().nodes[i];
  const graph::Tensor &in = b.graph().tensors[read], &out = b.graph().tensors[n.output];
  const GroupedStream g = grouped(stream_of(in, lanes), op.groups, b.clocks());
  const graph::SoftmaxIntegers integers = integers_of(in, out);
  const ExponentialsPlan sums{g, integers};
  const SharesPlan shares{g, integers, out.format};
  return sums.slices() + division(g, integers, sums.output(), b.clocks()).slices() +
         shares.slices() + b.of_numbers(n.output, g.stream.lanes);
}

}  // namespace kumiki::gen::pipeline
