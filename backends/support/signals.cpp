// SPDX-License-Identifier: Apache-2.0
#include "backends/support/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "backends/support/temporary.h"
#include "ir/interrupt.h"

namespace kumiki::backends {
namespace {

using namespace std::chrono_literals;

constexpr auto grace = 500ms;            // for an orderly exit
constexpr auto patience = 30s;           // for work that must not be interrupted
constexpr std::size_t stack = 1u << 18;  // of the watcher

// A handler may read these: atomics that are never destroyed.
std::array<std::atomic<pid_t>, 1024> groups;
std::atomic<int> uncut = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free);

// One thread takes the signals from a descriptor, and all others block them. So handlers that
// solver libraries install are never called.
struct Watcher {
  sigset_t taken;
  sigset_t before;
  int signals, quit;
  pthread_t thread;
};
std::optional<Watcher> watcher;

bool hand_on(int signal) noexcept {
  bool any = false;
  for (const auto& group : groups)
    if (const pid_t leader = group; leader > 0) {
      ::kill(-leader, signal);
      any = true;
    }
  return any;
}

enum : int { ends_by_itself = 0, nothing_came = -1 };

// The next signal within a time; -1: no time limit.
int next_signal(int milliseconds) {
  pollfd sources[] = {{watcher->quit, POLLIN, 0}, {watcher->signals, POLLIN, 0}};
  if (::poll(sources, 2, milliseconds) <= 0) return nothing_came;
  if (sources[0].revents != 0) return ends_by_itself;
  signalfd_siginfo info{};
  const bool whole = ::read(watcher->signals, &info, sizeof info) == sizeof info;
  return whole ? static_cast<int>(info.ssi_signo) : nothing_came;
}

void* watch(void*) {
  for (bool stop = false; !stop;) {
    const int signal = next_signal(-1);
    if (signal == ends_by_itself) return nullptr;
    stop = signal != nothing_came && ir::interrupt(signal);
  }
  hand_on(ir::interrupted());
  // A second signal ends the grace period.
  if (next_signal(grace / 1ms) == ends_by_itself) return nullptr;
  for (auto waited = 0ms; uncut > 0 && waited < patience; waited += 10ms)
    std::this_thread::sleep_for(10ms);
  hand_on(SIGKILL);
  remove_folders_now();
  ::_exit(128 + ir::interrupted());
}

bool start_watcher(const sigset_t& taken) {
  watcher.emplace();
  watcher->taken = taken;
  watcher->quit = ::eventfd(0, EFD_CLOEXEC);
  watcher->signals = ::signalfd(-1, &taken, SFD_CLOEXEC);
  ::pthread_sigmask(SIG_BLOCK, &taken, &watcher->before);
  pthread_attr_t attributes;  // a small stack starts even with little memory
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, stack);
  const bool started = watcher->quit >= 0 && watcher->signals >= 0 &&
                       ::pthread_create(&watcher->thread, &attributes, watch, nullptr) == 0;
  ::pthread_attr_destroy(&attributes);
  if (started) return true;
  ::pthread_sigmask(SIG_SETMASK, &watcher->before, nullptr);
  for (int descriptor : {watcher->quit, watcher->signals})
    if (descriptor >= 0) ::close(descriptor);
  watcher.reset();
  return false;
}

// The handler if no thread can be started. If tools were told to stop, their end lets the program
// leave in order. Otherwise the handler ends the program, because nothing else would.
void on_signal(int signal) noexcept {
  const int saved = errno;
  const bool again = ir::interrupted() != 0;
  if (ir::interrupt(signal)) {
    const bool tools = hand_on(signal);
    if (again || (!tools && uncut == 0)) ::_exit(128 + signal);
  }
  errno = saved;
}

}  // namespace

Signals::Signals() {
  // The parent may have changed these signals. We wait for children, and a closed reader is a write
  // error.
  ::signal(SIGCHLD, SIG_DFL);
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t taken;
  ::sigemptyset(&taken);
  for (int s : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    ::sigaction(s, nullptr, &now);
    if (now.sa_handler != SIG_IGN) ::sigaddset(&taken, s);
  }
  if (start_watcher(taken)) return;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  action.sa_mask = taken;
  for (int s : {SIGINT, SIGTERM, SIGHUP})
    if (::sigismember(&taken, s)) ::sigaction(s, &action, nullptr);
}

Signals::~Signals() {
  if (!watcher) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = ::write(watcher->quit, &one, sizeof one);
  ::pthread_join(watcher->thread, nullptr);
  for (int descriptor : {watcher->quit, watcher->signals}) ::close(descriptor);
  ::pthread_sigmask(SIG_SETMASK, &watcher->before, nullptr);
  watcher.reset();
}

void unblock_for_tools(sigset_t& mask) {
  if (!watcher) return;
  for (int s : {SIGINT, SIGTERM, SIGHUP})
    if (::sigismember(&watcher->taken, s) && !::sigismember(&watcher->before, s))
      ::sigdelset(&mask, s);
}

Uninterrupted::Uninterrupted() { ++uncut; }
Uninterrupted::~Uninterrupted() { --uncut; }

RunningGroup::RunningGroup(pid_t leader) : leader_(leader) {
  for (auto& slot : groups) {
    pid_t free = 0;
    if (!slot.compare_exchange_strong(free, leader)) continue;
    slot_ = &slot;
    return;
  }
}

RunningGroup::~RunningGroup() {
  if (slot_) *slot_ = 0;
}

void RunningGroup::signal(int number) const { ::kill(-leader_, number); }

}  // namespace kumiki::backends
