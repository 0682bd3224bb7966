// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

MipResult Search::solve(const Mip& mip, MipLimits limits, const std::vector<double>& start) {
  if (stopped_) return {.is_stopped = true};
  limits.pulse = options_.pulse;
  MipResult r = mip.solve(limits, start);
  stopped_ |= r.is_stopped;
  work_ += r.work;
  return r;
}

bool Search::report(const SolveOptions::Progress& progress) {
  if (!stopped_ && options_.progress) stopped_ = !options_.progress(progress);
  return !stopped_;
}

}  // namespace kumiki::gen::compressor
