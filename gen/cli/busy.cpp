// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/busy.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "ir/activity.h"

namespace kumiki::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto patience = 2s;        // before the first message
constexpr auto step = 250ms;         // between updates of the line on a terminal
constexpr auto between_lines = 10s;  // between lines elsewhere

// Must not throw: stderr may be closed.
void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

Busy::Busy() {
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    // Without a thread it stays silent.
  }
}

Busy::~Busy() {
  {
    const std::lock_guard guard(lock_);
    ends_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Busy::watch() {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  bool drawn = false;  // a line is on the terminal
  Clock::time_point since{}, said{};
  std::unique_lock guard(lock_);
  while (!ending_.wait_for(guard, step, [this] { return ends_; })) {
    const std::string what = ir::current_activity();
    const auto now = Clock::now();
    if (what.empty()) {
      if (drawn) say("\r\033[K");
      drawn = false;
      since = said = {};
      continue;
    }
    if (since == Clock::time_point{}) since = now;
    if (now - since < patience || (!terminal && now - said < between_lines)) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since).count();
    said = now;
    drawn = terminal;
    // A longer line would wrap and could not be erased.
    say(terminal ? fmt::format("\r\033[K{:.70} ({} s)", what, seconds)
                 : fmt::format("kumiki: {} ({} s so far)\n", what, seconds));
  }
  if (drawn) say("\r\033[K");
}

}  // namespace kumiki::cli
