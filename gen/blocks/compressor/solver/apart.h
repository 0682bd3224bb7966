// SPDX-License-Identifier: Apache-2.0
// Runs work in a child process that sends back numbers and ends. The child is a copy of this
// process, so its input needs no transfer. It ends when it is stopped or when this process ends.
// This process continues however the child ends.
#pragma once
#include <functional>
#include <vector>

namespace kumiki::gen::compressor {

struct Apart {
  bool is_stopped = false;      // by the pulse
  std::vector<double> numbers;  // empty: the child ended before it sent them
};

using Work = std::function<std::vector<double>()>;

// Runs all `works` at once. They must not take locks that another thread may hold. Their output is
// discarded. `pulse` is called ten times a second and may be empty; false stops them all. Throws
// Interrupted if this process must stop.
std::vector<Apart> apart(const std::vector<Work>& works, const std::function<bool()>& pulse);

Apart apart(const Work& work, const std::function<bool()>& pulse);

}  // namespace kumiki::gen::compressor
