// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/watch.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

namespace kumiki::cli {
namespace {

void clear_line() {
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void bar(const SolverWatch::Progress& p) {
  constexpr unsigned width = 24;
  const unsigned full = p.rounds == 0 ? width : width * p.round / p.rounds;
  fmt::print(stderr, "\r\033[K{} stages [{:#<{}}{:.<{}}] {:g} LUTs, bound {:.0f}", p.stages, "",
             full, "", width - full, p.luts, p.bound);
  std::fflush(stderr);
}

}  // namespace

SolverWatch::SolverWatch(bool quiet) : quiet_(quiet), terminal_(isatty(2) == 1) {
  gen::compressor::watch_solver(this);
}

SolverWatch::~SolverWatch() { gen::compressor::watch_solver(nullptr); }

void SolverWatch::begin() {
  last_ = {};
  ctrl_c_.emplace();
}

bool SolverWatch::progress(const Progress& p) {
  const bool better = p.stages != last_.stages || p.luts != last_.luts;
  last_ = p;
  if (!quiet_ && terminal_) bar(p);
  if (!quiet_ && !terminal_ && better)
    fmt::print(stderr, "kumiki: {} stages, {:g} LUTs, bound {:.0f}\n", p.stages, p.luts, p.bound);
  ir::stop_if_interrupted();  // by a second Ctrl-C, or another signal
  if (!ctrl_c_->came()) return true;
  if (terminal_) clear_line();
  fmt::print(stderr, "kumiki: interrupted, the best tree so far is taken: {} stages, {:g} LUTs\n",
             p.stages, p.luts);
  return false;
}

void SolverWatch::end() {
  ctrl_c_.reset();
  if (!quiet_ && terminal_) clear_line();
}

}  // namespace kumiki::cli
