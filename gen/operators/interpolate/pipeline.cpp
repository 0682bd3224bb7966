// SPDX-License-Identifier: Apache-2.0
// Interpolation as integers, where float32 rounds no sum: then the order of the additions does not
// matter, and ties are ties.
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "gen/layers/pipeline/lowering.h"
#include "gen/layers/pipeline/machines/reorder_node.h"
#include "gen/operators/interpolate/machine.h"

namespace kumiki::gen::pipeline {
namespace {

using graph::Interpolate;

constexpr int mantissa = 24;  // bits of a float32

// Bits of the smallest whole multiple of a power of two that this is.
int significant_bits(float real) {
  int exponent = 0;
  const auto bits = static_cast<std::uint32_t>(std::ldexp(std::frexp(real, &exponent), mantissa));
  return static_cast<int>(std::bit_width(bits >> std::countr_zero(bits)));
}

// Throws NoMachine if float32 may round.
InterpolatePlan plan_of(const graph::Graph& g, const graph::Node& n, const Interpolate& op,
                        const Stream& read) {
  const graph::Tensor &in = g.tensors[n.inputs[0]], &out = g.tensors[n.output];
  const auto rows = BetweenAxis::of(op.rows, op.row_parts, in.shape[1]),
             columns = BetweenAxis::of(op.columns, op.column_parts, in.shape[2]);
  if (!rows || !columns)
    throw NoMachine(n,
                    "its parts are not multiples of 1/128; resize by powers of two, or with mode "
                    "nearest");
  if (in.format != out.format || in.scale != out.scale || in.zero_point != out.zero_point)
    throw NoMachine(n, "its result has another scale or zero point than its input; use the same");
  const InterpolatePlan plan{.stream = read,
                             .rows = *rows,
                             .columns = *columns,
                             .truncates = op.truncates != 0,
                             .zero_point = in.zero_point};
  // One number alone comes back as it is, whatever its scale. The place behind the last one has
  // half of it.
  const int fraction = std::max(rows->bits, 1) + std::max(columns->bits, 1);
  const int of_scale = plan.truncates ? 0 : significant_bits(in.scale);
  const bool is_tiny = !plan.truncates && std::ilogb(in.scale) < -100;
  if (plan.fraction() > 0 && (of_scale + in.format.bits + fraction > mantissa || is_tiny))
    throw NoMachine(
        n,
        fmt::format("float32 rounds its sums of reals with the scale {:.9g}; use a scale that is "
                    "a power of two, the QOperator form, which adds the numbers themselves, or "
                    "mode nearest",
                    in.scale));
  return plan;
}

// Every number is one of the map.
graph::Pick as_pick(const InterpolatePlan& p) {
  graph::Pick pick;
  for (const auto& [number, axis] : {std::pair(1, &p.rows), {2, &p.columns}}) {
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < axis->from.size(); ++i)
      places.push_back(axis->from[i] + axis->weights[i]);
    pick.add_runs(number, places);
  }
  return pick;
}

}  // namespace

Source machines(Lowering& l, std::size_t i, const Interpolate& op) {
  const graph::Node& n = l.node(i);
  InterpolatePlan plan = plan_of(l.graph(), n, op, l.read(n).stream);
  if (plan.fraction() == 0) return add_reordered(l, i, as_pick(plan));
  const Source in = l.with_lanes(l.read(n), lanes_in_time(plan, l.clocks()), n.name);
  plan.stream = in.stream;
  if (const auto why = plan.why_not()) throw NoMachine(n, *why);
  return l.add(n.name, machine(plan), {in});
}

std::int64_t slices_behind(const Behind& b, std::size_t i, std::size_t read, std::int64_t lanes,
                           const Interpolate& op) {
  const graph::Node& n = b.graph().nodes[i];
  const InterpolatePlan plan = plan_of(b.graph(), n, op, stream_of(b.graph().tensors[read], lanes));
  if (plan.fraction() == 0) return slices_behind_reordered(b, i, lanes, as_pick(plan));
  return b.of_numbers(n.output, lanes_in_time(plan, b.clocks()));
}

}  // namespace kumiki::gen::pipeline
