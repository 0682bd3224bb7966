// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/primitive.h"

namespace kumiki::ir {

// Calls action(address, lanes) once for every address that some lane selects.
template <class Action>
void for_each_address(const Lanes* address, std::size_t bits, Lanes lanes, Action action) {
  while (lanes != 0) {
    auto lane = static_cast<unsigned>(__builtin_ctzll(lanes));
    std::size_t value = 0;
    Lanes same = lanes;
    for (std::size_t b = 0; b < bits; ++b) {
      bool bit = address[b] >> lane & 1;
      value |= std::size_t{bit} << b;
      same &= bit ? address[b] : ~address[b];
    }
    action(value, same);
    lanes &= ~same;
  }
}

}  // namespace kumiki::ir
