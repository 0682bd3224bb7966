// SPDX-License-Identifier: Apache-2.0
// Long calls from Python: other threads of Python continue meanwhile, and Ctrl-C ends the call.
#pragma once
#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace kumiki::python {

namespace nb = nanobind;

// Calls the work without the lock of the interpreter. In the main thread, the work runs in another
// thread, because Python handles signals only in the main thread, which checks for them meanwhile.
// Exceptions of the work are passed on. After a signal, its exception (KeyboardInterrupt) is thrown
// when the work has ended.
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

// For short calls: runs in this thread; Ctrl-C is handled on return.
template <class Action>
auto briefly(Action&& action) {
  const nb::gil_scoped_release others;
  return action();
}

}  // namespace kumiki::python
