// SPDX-License-Identifier: Apache-2.0
// Work in a child process that sends back numbers and ends. The child is a copy of this process, so
// its input needs no transfer. It ends when it is stopped or when this process ends; this process
// goes on however the child ends.
#pragma once
#include <functional>
#include <vector>

namespace kumiki::gen::compressor {

struct Apart {
  bool is_stopped = false;      // by the pulse
  std::vector<double> numbers;  // empty: the child ended before it had sent them
};

using Work = std::function<std::vector<double>()>;

// All of `works` at once. They must not take locks that another thread may hold. Their output is
// discarded. `pulse` is called ten times a second and may be empty; false stops them all. Throws
// Interrupted when this process is told to stop.
std::vector<Apart> apart(const std::vector<Work>& works, const std::function<bool()>& pulse);

Apart apart(const Work& work, const std::function<bool()>& pulse);

}  // namespace kumiki::gen::compressor
