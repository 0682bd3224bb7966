// SPDX-License-Identifier: Apache-2.0
// Runs the same work in several threads.
#pragma once
#include <system_error>
#include <thread>
#include <vector>

namespace kumiki::backends {

// Calls `work`, which must not throw, in `count` threads at once, including this one. If the system
// starts fewer threads, `work` runs only in those.
template <class Work>
void in_threads(std::size_t count, const Work& work) {
  std::vector<std::jthread> helpers;
  try {
    while (helpers.size() + 1 < count) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // Fewer threads take longer and do the same.
  }
  work();
}

}  // namespace kumiki::backends
