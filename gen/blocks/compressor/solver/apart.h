// SPDX-License-Identifier: Apache-2.0
// Work in a process of its own that tells numbers and ends: a copy of this one, so that nothing has
// to be handed over. It ends when it is stopped or when we end; however it ends, we go on.
#pragma once
#include <functional>
#include <vector>

namespace kumiki::gen::compressor {

struct Apart {
  bool is_stopped = false;      // by the pulse
  std::vector<double> numbers;  // empty: it ended without having told them
};

// `work` must not take locks that another thread may have. Its prints go nowhere. `pulse` is asked
// ten times a second; empty: nobody is there. Interrupted when somebody wants us to stop.
Apart apart(const std::function<std::vector<double>()>& work, const std::function<bool()>& pulse);

}  // namespace kumiki::gen::compressor
