// SPDX-License-Identifier: Apache-2.0
// The sequence of groups of pixels: the distance from one to the next, and the start of each in the
// ring. All of it is in registers before the group begins, so no start waits for an addition.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

// The place of a group in its frame.
struct Place {
  Net line_ends, frame_ends;
};

// Of the next group until `moves`, then of the group after it.
struct Course {
  UInt need;  // beats that the following group needs beyond those of this group, minus one
  UInt step;  // words from the start of this group to the start of the following one
  Place place;
  Net line_goes_on;  // not `line_ends`
};

// Words from one group to the next, depending on the place of the first.
struct Steps {
  std::int64_t group, last_group, line, frame;
};
Steps ahead(const MatrixPlan& plan);  // in the ring
// The width, sign included, of a step in words minus one beat; the step may be 0.
std::uint32_t bits_of(const Steps& steps, std::int64_t beat);

// The place of a group as far as the step to the next group depends on it. `moves` 0: no step.
struct Where {
  Net moves = ir::net_one, to_last = ir::net_zero, line_ends, frame_ends;
};
// The words to the next group minus `less`, as a signed number of `width` bits.
UInt words_of(Scope& s, const Steps& steps, const Where& where, std::int64_t less,
              std::uint32_t width);

// The whole beats in a running sum of words. Each of `words` is reduced by one beat; leftover words
// carry over.
UInt whole_beats(Scope& s, const MatrixPlan& plan, const UInt& words, std::uint64_t start,
                 Net enable, Net reset);

Course build_course(Scope& s, const MatrixPlan& plan, Net moves, Net reset);

}  // namespace kumiki::gen::matrix
