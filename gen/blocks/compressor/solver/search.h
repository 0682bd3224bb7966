// SPDX-License-Identifier: Apache-2.0
// What the parts of a search for one tree share: who watches it, whether it was stopped, and how
// much has been done. Work is counted, never timed, so that a search ends where it ends on every
// machine.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/blocks/compressor/solver/mip.h"
#include "gen/blocks/compressor/solver/solve.h"

namespace kumiki::gen::compressor {

class Search {
 public:
  explicit Search(const SolveOptions& options) : options_(options) {}

  const SolveOptions& options() const { return options_; }
  // Quick efforts find a good tree at once; what it takes to do better is asked for.
  bool is_quick() const { return options_.effort < 2; }

  // Of a search that was stopped nothing more is solved.
  MipResult solve(const Mip& mip, MipLimits limits, const std::vector<double>& start = {});
  // False: stopped.
  bool report(const SolveOptions::Progress& progress);
  bool is_stopped() const { return stopped_; }
  std::uint64_t work() const { return work_; }

 private:
  const SolveOptions& options_;
  bool stopped_ = false;
  std::uint64_t work_ = 0;
};

}  // namespace kumiki::gen::compressor
