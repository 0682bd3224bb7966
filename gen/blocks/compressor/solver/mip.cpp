// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/mip.h"

#include "gen/blocks/compressor/solver/apart.h"
#include "gen/blocks/compressor/solver/cbc.h"

namespace kumiki::gen::compressor {

int Mip::add(double low, double high, double cost, bool is_integer) {
  low_.push_back(low);
  high_.push_back(high);
  cost_.push_back(cost);
  is_integer_.push_back(is_integer);
  return size() - 1;
}

double Mip::cost_of(const std::vector<double>& x) const {
  double sum = 0;
  for (int v = 0; v < size(); ++v) sum += cost_[v] * x[v];
  return sum;
}

void Mip::row(const std::vector<Term>& terms, char sense, double right) {
  // A row may have a variable only once.
  Row r{{}, {}, sense, right};
  std::vector<double> sum(low_.size(), 0);
  std::vector<int> order;
  for (auto [v, f] : terms) {
    if (sum[v] == 0) order.push_back(v);
    sum[v] += f;
  }
  for (int v : order) {
    if (sum[v] == 0) continue;
    r.variables.push_back(v);
    r.factors.push_back(sum[v]);
    sum[v] = 0;
  }
  rows_.push_back(std::move(r));
}

namespace {

// A result as numbers, for the child to send.
std::vector<double> to_numbers(const MipResult& r) {
  std::vector<double> all{
      double(r.is_infeasible), double(r.is_proven), double(r.has_solution), r.objective, r.bound,
      double(r.work)};
  all.insert(all.end(), r.x.begin(), r.x.end());
  return all;
}

MipResult from_numbers(const std::vector<double>& all) {
  return {.work = static_cast<std::uint64_t>(all[5]),
          .is_infeasible = all[0] != 0,
          .is_proven = all[1] != 0,
          .has_solution = all[2] != 0,
          .objective = all[3],
          .bound = all[4],
          .x = {all.begin() + 6, all.end()}};
}

}  // namespace

MipResult Mip::solve(const MipLimits& limits, const std::vector<double>& start) const {
  for (Pivots pivots : {Pivots::steepest, Pivots::dantzig}) {
    const Apart told =
        apart([&] { return to_numbers(run_cbc(*this, limits, start, pivots)); }, limits.pulse);
    if (told.is_stopped) return {.is_stopped = true};
    if (told.numbers.size() >= 6) return from_numbers(told.numbers);
  }
  return {.is_lost = true};
}

}  // namespace kumiki::gen::compressor
