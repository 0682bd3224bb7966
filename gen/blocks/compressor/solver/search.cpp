// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/search.h"

#include "gen/blocks/compressor/solver/apart.h"

namespace kumiki::gen::compressor {

MipResult Search::solve(const Mip& mip, const MipLimits& limits, const std::vector<double>& start) {
  return solve(std::vector<MipJob>{{&mip, limits, start}}).front();
}

std::vector<MipResult> Search::solve(const std::vector<MipJob>& jobs) {
  if (stopped_) return std::vector<MipResult>(jobs.size(), {.is_stopped = true});
  std::vector<MipResult> all = solve_together(jobs, options_.pulse);
  for (const MipResult& r : all) {
    stopped_ |= r.is_stopped;
    work_ += r.work;
  }
  return all;
}

std::vector<std::optional<std::vector<double>>> Search::look(const std::vector<Part>& parts) {
  std::vector<std::optional<std::vector<double>>> all(parts.size());
  if (stopped_) return all;
  std::vector<Work> works;
  for (const Part& part : parts)
    works.emplace_back([this, &part] {
      SolveOptions silent = options_;
      silent.progress = {};
      silent.pulse = {};
      Search own(silent);
      const auto x = part(own);
      std::vector<double> numbers{static_cast<double>(own.work())};
      if (x) numbers.insert(numbers.end(), x->begin(), x->end());
      return numbers;
    });
  const std::vector<Apart> told = apart(works, options_.pulse);
  for (std::size_t i = 0; i < told.size(); ++i) {
    stopped_ |= told[i].is_stopped;
    const std::vector<double>& numbers = told[i].numbers;
    if (numbers.empty()) continue;
    work_ += static_cast<std::uint64_t>(numbers.front());
    if (numbers.size() > 1) all[i].emplace(numbers.begin() + 1, numbers.end());
  }
  return all;
}

bool Search::report(const SolveOptions::Progress& progress) {
  if (!stopped_ && options_.progress) stopped_ = !options_.progress(progress);
  return !stopped_;
}

}  // namespace kumiki::gen::compressor
