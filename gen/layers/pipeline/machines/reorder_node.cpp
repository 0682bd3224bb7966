// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/reorder_node.h"

#include <algorithm>

namespace kumiki::gen::pipeline {

Reordered in_time(const Order& order, const Stream& read, std::int64_t clocks) {
  Reordered r;
  Stream moved = read;
  if (!order.plans.empty()) {
    const auto fits = [&](const ReorderPlan& p) { return p.schedule().interval() <= clocks; };
    const auto first = std::ranges::find_if(order.plans, fits);
    r.order = first == order.plans.end() ? &order.plans.back() : &*first;
    moved = r.order->made.with(read.format);
  }
  if (order.border.is_there()) {
    r.around = padded(moved, order.border, clocks);
    moved = r.around->output();
  }
  r.lanes = moved.lanes;
  return r;
}

Source add_reordered(Lowering& l, std::size_t i, const Order& order) {
  const graph::Node& n = l.node(i);
  Source made = l.read(n);
  const Reordered r = in_time(order, made.stream, l.clocks());
  const auto add = [&](const auto& plan, const std::string& name) {
    if (const auto why = plan.why_not()) throw NoMachine(n, *why);
    made = l.add(name, machine(plan), {l.with_lanes(made, plan.stream.lanes, name)});
  };
  if (r.order) {
    ReorderPlan plan = *r.order;
    // Unscaled sums come in fewer bits than their tensor has.
    plan.stream.format = plan.made.format = made.stream.format;
    add(plan, n.name);
  }
  if (r.around) add(*r.around, n.name + "_pad");
  return made;
}

}  // namespace kumiki::gen::pipeline
