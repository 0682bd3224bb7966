// SPDX-License-Identifier: Apache-2.0
// A request to stop: Ctrl-C or another signal. Long work checks for it now and then and ends in
// order. A signal handler sets it, so nothing here takes a lock.
#pragma once
#include <exception>

namespace kumiki {

// Ends all running work. It is not an error: only the end of the program catches it.
struct Interrupted : std::exception {
  explicit Interrupted(int by) : signal(by) {}
  const char* what() const noexcept override { return "interrupted"; }
  int signal;
};

namespace ir {

// The first signal that asked for an end; 0: none.
int interrupted() noexcept;
void stop_if_interrupted();  // throws Interrupted

// Called by a signal handler. False: a TakesCtrlC has handled this Ctrl-C, and nothing else has to
// stop.
bool interrupt(int signal) noexcept;

// All work that was asked to stop has ended; later work runs again. For long-lived programs.
void forget_interrupt() noexcept;

// While an object lives, the first Ctrl-C only tells its owner "enough", and the program continues;
// a solver keeps its best tree. A second one ends the program.
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
