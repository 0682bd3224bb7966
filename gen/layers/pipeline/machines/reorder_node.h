// SPDX-License-Identifier: Apache-2.0
// The machines of a node whose result has numbers of its input in another order, and a constant
// around them.
#pragma once
#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"

namespace kumiki::gen::pipeline {

struct Reordered {
  const ReorderPlan* order = nullptr;  // null: the numbers stay in their order
  std::optional<PadPlan> around = {};
  std::int64_t lanes = 1;  // of the result
};
Reordered in_time(const Order& order, const Stream& read, std::int64_t clocks);

Source add_reordered(Lowering& l, std::size_t i, const Order& order);

template <class Op>
Source add_reordered(Lowering& l, std::size_t i, const Op& op) {
  return add_reordered(l, i, l.foldings().order(i, op));
}

template <class Op>
std::int64_t slices_behind_reordered(const Behind& b, std::size_t i, std::int64_t lanes,
                                     const Op& op) {
  const graph::Node& n = b.graph().nodes[i];
  const Stream read = stream_of(b.graph().tensors[n.inputs[0]], lanes);
  return b.of_numbers(n.output, in_time(b.foldings().order(i, op), read, b.clocks()).lanes);
}

}  // namespace kumiki::gen::pipeline
