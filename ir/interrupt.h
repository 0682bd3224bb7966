// SPDX-License-Identifier: Apache-2.0
// A request to stop: Ctrl-C or another signal. Long work checks for it now and then and leaves in
// order. A signal handler sets it, so nothing here takes a lock.
#pragma once
#include <exception>

namespace kumiki {

// Leaves all work under way. It is no error: only the end of the program catches it.
struct Interrupted : std::exception {
  explicit Interrupted(int by) : signal(by) {}
  const char* what() const noexcept override { return "interrupted"; }
  int signal;
};

namespace ir {

// The first signal that asked for an end; 0: none.
int interrupted() noexcept;
void stop_if_interrupted();  // throws Interrupted

// Called by a signal handler. False: a TakesCtrlC has taken this Ctrl-C, and nothing else has to
// stop.
bool interrupt(int signal) noexcept;

// All work that was asked to end has left: what comes now goes on. For programs that live on.
void forget_interrupt() noexcept;

// While an object lives, the first Ctrl-C only tells its owner "enough", and the program goes on: a
// solver keeps its best tree. A second one ends the program.
class TakesCtrlC {
 public:
  TakesCtrlC();
  ~TakesCtrlC();
  TakesCtrlC(const TakesCtrlC&) = delete;
  TakesCtrlC& operator=(const TakesCtrlC&) = delete;
  bool came() const noexcept;
};

}  // namespace ir
}  // namespace kumiki
