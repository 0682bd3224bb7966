// SPDX-License-Identifier: Apache-2.0
// Finds the maximum of a concave function of integers.
#pragma once
#include "gen/arith/interval.h"

namespace kumiki::gen::arith {

// Searches from `low` to `high`; returns the first of several maxima.
template <class Function>
Exact peak(Exact low, Exact high, Function&& of) {
  while (low < high) {
    const Exact middle = floor_div(low + high, 2);
    if (of(middle) >= of(middle + 1))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace kumiki::gen::arith
