// SPDX-License-Identifier: Apache-2.0
// How the program stops on request: it tells the tools that it runs, lets current work leave in
// order, and abandons what has not ended within half a second.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <csignal>

namespace kumiki::backends {

// Takes INT, TERM and HUP while it lives, except those that the parent had ignored (nohup). One for
// the program, made in main.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
};

// Work that must not be interrupted: the end of the program waits for it.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

// Removes from `mask` the signals that only Signals has blocked.
void unblock_for_tools(sigset_t& mask);

// A process group to which signals are forwarded.
class RunningGroup {
 public:
  explicit RunningGroup(pid_t leader);
  ~RunningGroup();
  RunningGroup(const RunningGroup&) = delete;
  RunningGroup& operator=(const RunningGroup&) = delete;
  void signal(int number) const;

 private:
  pid_t leader_;
  std::atomic<pid_t>* slot_ = nullptr;
};

}  // namespace kumiki::backends
