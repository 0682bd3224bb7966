// SPDX-License-Identifier: Apache-2.0
// A bit of control, and the same bit so many enabled clocks later. Every delay is made once.
#pragma once
#include <map>

#include "gen/dsl/state.h"

namespace kumiki::gen::packing {

class Taps {
 public:
  Taps(Scope& s, Net source, Net enable) : scope_(s), enable_(enable), at_{{0, source}} {}
  Net after(int cycles) {
    if (at_.at(0).is_constant()) return at_.at(0);
    auto next = at_.upper_bound(cycles);
    const auto [time, net] = *std::prev(next);
    if (time == cycles) return net;
    const Net later = delay(scope_, net, static_cast<std::uint32_t>(cycles - time), enable_);
    at_.emplace(cycles, later);
    return later;
  }

 private:
  Scope& scope_;
  Net enable_;
  std::map<int, Net> at_;
};

}  // namespace kumiki::gen::packing
