// SPDX-License-Identifier: Apache-2.0
// Work that takes a while, called by Python: other threads of Python go on meanwhile, and Ctrl-C
// ends it.
#pragma once
#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace kumiki::python {

namespace nb = nanobind;

// Calls it without the lock of the interpreter, from the main thread of the process in a thread of
// its own: only the main thread hears of Ctrl-C, and it listens. What the work throws is thrown; a
// signal's exception of Python (KeyboardInterrupt) is thrown once the work has left.
void run_without_lock(const std::function<void()>& work);

template <class Action>
auto without_lock(Action&& action) {
  using Result = std::invoke_result_t<Action>;
  if constexpr (std::is_void_v<Result>) {
    run_without_lock(action);
  } else {
    std::optional<Result> result;
    run_without_lock([&] { result.emplace(action()); });
    return *std::move(result);
  }
}

// The same for what is through at once: in this thread, and Ctrl-C is heard of afterwards.
template <class Action>
auto briefly(Action&& action) {
  const nb::gil_scoped_release others;
  return action();
}

}  // namespace kumiki::python
