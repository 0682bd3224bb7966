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

// `work` must not take locks that another thread may hold. Its output is discarded. `pulse` is
// called ten times a second and may be empty; false stops the work. Throws Interrupted when this
// process is told to stop.
Apart apart(const std::function<std::vector<double>()>& work, const std::function<bool()>& pulse);

}  // namespace kumiki::gen::compressor
