// SPDX-License-Identifier: Apache-2.0
// What the program does when it is told to stop: the tools that it runs are told as well, work
// under way leaves in order, and what has not left within half a second is abandoned.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <csignal>

namespace kumiki::backends {

// Takes INT, TERM and HUP while it lives, but not those that whoever started us had ignored
// (nohup). One for the program, made in main.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
};

// Work that must not be cut in the middle: the end of the program waits for it.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

// Removes from `mask` what only Signals has blocked.
void unblock_for_tools(sigset_t& mask);

// A process group that signals are handed on to.
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
