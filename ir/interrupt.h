// SPDX-License-Identifier: Apache-2.0
// A wish to stop: Ctrl-C or another signal. What takes long looks at it now and then and leaves in
// order. A signal handler sets it, so nothing here takes a lock.
#pragma once
#include <exception>

namespace kumiki {

// Leaves everything that is under way. No mistake of anybody's: only the program's end catches it.
struct Interrupted : std::exception {
  explicit Interrupted(int by) : signal(by) {}
  const char* what() const noexcept override { return "interrupted"; }
  int signal;
};

namespace ir {

// The signal that wants an end, the first one; 0: none.
int interrupted() noexcept;
void stop_if_interrupted();  // throws Interrupted

// From a handler. False: somebody takes this Ctrl-C as an answer, nothing else has to stop.
bool interrupt(int signal) noexcept;

// While there is one, the first Ctrl-C says "enough" to whoever made it and the program goes on: a
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
