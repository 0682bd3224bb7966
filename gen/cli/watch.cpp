// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/watch.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include <fmt/format.h>

namespace kumiki::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// The first one asks the solver to stop, a second one ends the program as ever.
void on_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

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
  interrupted = 0;
  last_ = {};
  before_ = std::signal(SIGINT, on_interrupt);
}

bool SolverWatch::progress(const Progress& p) {
  const bool better = p.stages != last_.stages || p.luts != last_.luts;
  last_ = p;
  if (!quiet_ && terminal_) bar(p);
  if (!quiet_ && !terminal_ && better)
    fmt::print(stderr, "kumiki: {} stages, {:g} LUTs, bound {:.0f}\n", p.stages, p.luts, p.bound);
  if (!interrupted) return true;
  if (terminal_) clear_line();
  fmt::print(stderr, "kumiki: interrupted, the best tree so far is taken: {} stages, {:g} LUTs\n",
             p.stages, p.luts);
  return false;
}

void SolverWatch::end() {
  std::signal(SIGINT, before_);
  if (!quiet_ && terminal_) clear_line();
}

}  // namespace kumiki::cli
