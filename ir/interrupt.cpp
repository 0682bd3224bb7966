// SPDX-License-Identifier: Apache-2.0
#include "ir/interrupt.h"

#include <atomic>
#include <csignal>

namespace kumiki::ir {
namespace {

std::atomic<int> wish = 0, takers = 0;
std::atomic<bool> taken = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

}  // namespace

int interrupted() noexcept { return wish; }

void stop_if_interrupted() {
  if (const int signal = wish) throw Interrupted(signal);
}

bool interrupt(int signal) noexcept {
  if (signal == SIGINT && takers > 0 && !taken.exchange(true)) return false;
  int none = 0;
  wish.compare_exchange_strong(none, signal);
  return true;
}

void forget_interrupt() noexcept { wish = 0; }

TakesCtrlC::TakesCtrlC() { ++takers; }

TakesCtrlC::~TakesCtrlC() {
  if (--takers == 0) taken = false;
}

bool TakesCtrlC::came() const noexcept { return taken; }

}  // namespace kumiki::ir
