// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/concat/machine.h"

namespace kumiki::gen::pipeline {

Source machines(Lowering& l, std::size_t i, const graph::Concat&) {
  const graph::Node& n = l.node(i);
  const auto& tensors = l.graph().tensors;
  std::int64_t common = 0;
  for (const graph::TensorId id : n.inputs) common = std::gcd(common, tensors[id].shape[0]);
  const std::int64_t lanes =
      dividing_lanes(stream_of(tensors[n.output], common), l.clocks()).front();
  std::vector<Source> all;
  ConcatPlan plan;
  for (std::size_t k = 0; k < n.inputs.size(); ++k) {
    all.push_back(l.with_lanes(l.read(n, k), lanes, n.name));
    plan.streams.push_back(all.back().stream);
  }
  return l.add(n.name, machine(plan), all);
}

// Concat sets its own lanes.
std::int64_t slices_behind(const Behind&, std::size_t, std::size_t, std::int64_t,
                           const graph::Concat&) {
  return 0;
}

}  // namespace kumiki::gen::pipeline
