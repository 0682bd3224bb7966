// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/layers/pipeline/lowering.h"
#include "gen/operators/lookup/machine.h"

namespace kumiki::gen::pipeline {
namespace {

// Unscaled sums come in another width than the table's. A sum outside the table's format never
// occurs, so it gets the value of the nearest number.
std::vector<std::int16_t> values_for(const arith::Format& sums, const arith::Format& numbers,
                                     const std::vector<std::int16_t>& table) {
  const arith::Interval come = sums.range(), known = numbers.range();
  std::vector<std::int16_t> values;
  for (std::size_t first = 0; first < table.size(); first += std::size_t{1} << numbers.bits)
    for (arith::Exact sum = come.lo; sum <= come.hi; ++sum)
      values.push_back(
          table[first + static_cast<std::size_t>(std::clamp(sum, known.lo, known.hi) - known.lo)]);
  return values;
}

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::Lookup& table) {
  const graph::Node& n = l.node(i);
  const Source in = l.read(n);
  LookupPlan plan{.stream = in.stream, .format = l.format_of(n.output), .values = table.values};
  if (in.stream.format != l.format_of(n.inputs[0]))
    plan.values = values_for(in.stream.format, l.format_of(n.inputs[0]), table.values);
  if (!legal(plan))
    throw NoMachine(n, fmt::format("its numbers have {} bits", in.stream.format.bits));
  return l.add(n.name, machine(plan), {in});
}

}  // namespace kumiki::gen::pipeline
