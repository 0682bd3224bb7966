// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/mip.h"

#include <optional>

#include "gen/blocks/compressor/solver/apart.h"
#include "gen/blocks/compressor/solver/cbc.h"
#include "gen/blocks/compressor/solver/reduced.h"

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

Mip Mip::relaxed() const {
  Mip linear = *this;
  linear.is_integer_.assign(is_integer_.size(), false);
  return linear;
}

void Mip::row(const std::vector<Term>& terms, char sense, double right) {
  // A row may contain a variable only once.
  sum_.resize(low_.size());
  std::vector<int> order;
  for (auto [v, f] : terms) {
    if (sum_[v] == 0) order.push_back(v);
    sum_[v] += f;
  }
  Row r{{}, {}, sense, right};
  for (int v : order) {
    if (sum_[v] == 0) continue;
    r.variables.push_back(v);
    r.factors.push_back(sum_[v]);
    sum_[v] = 0;
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

// The result if there is nothing to decide.
MipResult of_constants(const MipLimits& limits) {
  const bool is_below = limits.cutoff > 0;
  return {.is_infeasible = !is_below, .is_proven = true, .has_solution = is_below};
}

// A job without the fixed variables of its program.
struct Part {
  explicit Part(const MipJob& job) : reduced(*job.mip), limits(job.limits) {
    if (limits.cutoff < no_cutoff) limits.cutoff -= reduced.fixed_cost;
    if (!job.start.empty()) start = reduced.part_of(job.start);
    if (!reduced.is_feasible)
      result = MipResult{.is_infeasible = true, .is_proven = true};
    else if (reduced.kept.empty())
      result = of_constants(limits);
  }
  Reduced reduced;
  MipLimits limits;
  std::vector<double> start;
  std::optional<MipResult> result;
};

}  // namespace

std::vector<MipResult> solve_together(const std::vector<MipJob>& jobs,
                                      const std::function<bool()>& pulse) {
  std::vector<Part> parts(jobs.begin(), jobs.end());
  for (Pivots pivots : {Pivots::steepest, Pivots::dantzig}) {
    std::vector<Work> works;
    std::vector<Part*> of;
    for (Part& part : parts) {
      if (part.result) continue;
      of.push_back(&part);
      works.emplace_back([&part, pivots] {
        return to_numbers(run_cbc(part.reduced.program, part.limits, part.start, pivots));
      });
    }
    if (works.empty()) break;
    const std::vector<Apart> told = apart(works, pulse);
    for (std::size_t i = 0; i < told.size(); ++i)
      if (told[i].is_stopped)
        of[i]->result = MipResult{.is_stopped = true};
      else if (told[i].numbers.size() >= 6)
        of[i]->result = from_numbers(told[i].numbers);
  }
  std::vector<MipResult> all;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    all.push_back(parts[i].reduced.of_whole(*jobs[i].mip,
                                            parts[i].result.value_or(MipResult{.is_lost = true})));
  return all;
}

MipResult Mip::solve(const MipLimits& limits, const std::function<bool()>& pulse) const {
  return solve_together({{this, limits, {}}}, pulse).front();
}

}  // namespace kumiki::gen::compressor
