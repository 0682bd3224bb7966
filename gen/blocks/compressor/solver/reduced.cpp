// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/reduced.h"

namespace kumiki::gen::compressor {

Reduced::Reduced(const Mip& whole) {
  std::vector<int> number(static_cast<std::size_t>(whole.size()), -1);
  for (int v = 0; v < whole.size(); ++v) {
    if (whole.low(v) == whole.high(v)) {
      fixed_cost += whole.cost(v) * whole.low(v);
      continue;
    }
    number[v] = program.add(whole.low(v), whole.high(v), whole.cost(v), whole.is_integer(v));
    kept.push_back(v);
  }
  std::vector<Mip::Term> terms;
  for (const Mip::Row& r : whole.rows()) {
    terms.clear();
    double right = r.right;
    for (std::size_t i = 0; i < r.variables.size(); ++i) {
      const int v = r.variables[i];
      if (number[v] < 0)
        right -= r.factors[i] * whole.low(v);
      else
        terms.emplace_back(number[v], r.factors[i]);
    }
    constexpr double near = 1e-6;
    if (!terms.empty())
      program.row(terms, r.sense, right);
    else if ((r.sense != 'L' && right > near) || (r.sense != 'G' && right < -near))
      is_feasible = false;
  }
}

std::vector<double> Reduced::part_of(const std::vector<double>& x) const {
  std::vector<double> part;
  for (int v : kept) part.push_back(x[v]);
  return part;
}

std::vector<double> Reduced::expanded(const Mip& whole, const std::vector<double>& part) const {
  std::vector<double> x(static_cast<std::size_t>(whole.size()));
  for (int v = 0; v < whole.size(); ++v) x[v] = whole.low(v);
  for (std::size_t i = 0; i < kept.size(); ++i) x[kept[i]] = part[i];
  return x;
}

MipResult Reduced::of_whole(const Mip& whole, MipResult of_part) const {
  of_part.objective += fixed_cost;
  of_part.bound += fixed_cost;
  if (of_part.has_solution) of_part.x = expanded(whole, of_part.x);
  return of_part;
}

}  // namespace kumiki::gen::compressor
