// SPDX-License-Identifier: Apache-2.0
// The state that the parts of a search for one tree share: its watcher, whether it was stopped, and
// the work done. Work is counted, never timed, so a search ends at the same point on every machine.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gen/blocks/compressor/solver/mip.h"
#include "gen/blocks/compressor/solver/solve.h"

namespace kumiki::gen::compressor {

class Search {
 public:
  explicit Search(const SolveOptions& options) : options_(options) {}

  const SolveOptions& options() const { return options_; }
  // Quick efforts find a good tree at once; a higher effort searches longer.
  bool is_quick() const { return options_.effort < 2; }

  // Returns at once if the search was stopped.
  MipResult solve(const Mip& mip, const MipLimits& limits, const std::vector<double>& start = {});
  // Solves several at once.
  std::vector<MipResult> solve(const std::vector<MipJob>& jobs);
  // Searches for several solutions at once. Each part has its own search, whose work counts for
  // this one. Empty: there is no solution, or the search was stopped.
  using Part = std::function<std::optional<std::vector<double>>(Search&)>;
  std::vector<std::optional<std::vector<double>>> look(const std::vector<Part>& parts);
  // False: the search was stopped.
  bool report(const SolveOptions::Progress& progress);
  bool is_stopped() const { return stopped_; }
  std::uint64_t work() const { return work_; }

 private:
  const SolveOptions& options_;
  bool stopped_ = false;
  std::uint64_t work_ = 0;
};

}  // namespace kumiki::gen::compressor
