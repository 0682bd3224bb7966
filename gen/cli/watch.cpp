// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/watch.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

namespace kumiki::cli {

SolverWatch::SolverWatch(bool take_incumbent)
    : terminal_(isatty(2) == 1), take_incumbent_(take_incumbent) {}

void SolverWatch::begin(const std::string& what) {
  last_ = {};
  activity_.emplace("looking for " + what);
  if (take_incumbent_) ctrl_c_.emplace();
}

bool SolverWatch::progress(const Progress& p) {
  const bool better = p.stages != last_.stages || p.luts != last_.luts;
  last_ = p;
  activity_->at(fmt::format("{} stages, {:g} LUTs, bound {:.0f}, round {} of {}", p.stages, p.luts,
                            p.bound, p.round, p.rounds));
  if (!terminal_ && better)
    fmt::print(stderr, "kumiki: {} stages, {:g} LUTs, bound {:.0f}\n", p.stages, p.luts, p.bound);
  return pulse();
}

bool SolverWatch::pulse() {
  ir::stop_if_interrupted();
  if (!ctrl_c_ || !ctrl_c_->came()) return true;
  if (!enough_)
    fmt::print(stderr, "{}kumiki: interrupted, the best trees so far are taken\n",
               terminal_ ? "\r\033[K" : "");
  enough_ = true;
  return false;
}

void SolverWatch::end() {
  ctrl_c_.reset();
  activity_.reset();
}

}  // namespace kumiki::cli
