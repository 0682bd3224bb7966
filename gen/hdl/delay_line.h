// SPDX-License-Identifier: Apache-2.0
// A net or word, and its value some enabled clocks later. Every delay is made once, after the next
// shorter one that exists.
#pragma once
#include <iterator>
#include <map>

#include "gen/hdl/state.h"

namespace kumiki::gen {

template <class T>
class DelayLine {
 public:
  DelayLine(Scope& s, T source, Net enable) : scope_(&s), enable_(enable), at_{{0, source}} {}
  T after(int clocks) {
    if constexpr (std::is_same_v<T, Net>)
      if (at_.at(0).is_constant()) return at_.at(0);
    const auto [time, value] = *std::prev(at_.upper_bound(clocks));
    if (time == clocks) return value;
    const T later = delay(*scope_, value, static_cast<std::uint32_t>(clocks - time), enable_);
    at_.emplace(clocks, later);
    return later;
  }

 private:
  Scope* scope_;
  Net enable_;
  std::map<int, T> at_;
};

}  // namespace kumiki::gen
