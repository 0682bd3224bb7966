// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/thresholds/machine.h"

namespace kumiki::gen::pipeline {

Source machines(Lowering& l, std::size_t i, const graph::Thresholds&) {
  const graph::Node& n = l.node(i);
  const Source in = l.read(n);
  const auto plan = [&] { return thresholds(l.graph(), n, in.stream); };
  return l.add(n.name, l.foldings().kept(i, {in.stream}, plan), {in});
}

}  // namespace kumiki::gen::pipeline
