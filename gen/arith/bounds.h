// SPDX-License-Identifier: Apache-2.0
// What the steps of a rule ask of any rule that shall equal them: a least result at some
// accumulators, and one that others must not reach. A search for such a rule looks at nothing else.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/arith/steps.h"

namespace kumiki::gen::arith {

struct Bounds {
  struct At {
    std::int64_t accumulator, result;
  };
  // Only those that no other bound covers, whatever the positive slope of a line through them.
  std::vector<At> least, below;  // at least this result; below it

  // The offsets with which (acc * factor + offset) >> shift keeps every bound; empty: lo > hi. An
  // end that nothing bounds is at 2^100.
  Interval offsets(Exact factor, int shift) const;
};

// For results within `range`: a rule is clamped to it, so beyond an end any result is right. With
// `places`, results are bounded by their places on a finer scale.
Bounds bounds_of(const Steps& steps, const Interval& range, const Map& places = {});
// The same for rules that differ below 0: what must hold on the negative accumulators alone, and
// on the others.
struct BoundsOfSides {
  Bounds negative, other;
};
BoundsOfSides sides_of(const Steps& steps, const Interval& range);

}  // namespace kumiki::gen::arith
