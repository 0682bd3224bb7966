// SPDX-License-Identifier: Apache-2.0
// The groups of pixels one after the other: how far it is from one to the next, and where each
// begins in the ring. All of it is a register and known before the group begins, so that no
// beginning waits for an addition.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

// The place of a group in its frame.
struct Place {
  Net line_ends, frame_ends;
};

// Of the next group until `moves`, then of the one behind it.
struct Course {
  UInt need;  // beats that the group after it needs more than it does, less one
  UInt step;  // words from where it begins to where the group after it does
  Place place;
  Net line_goes_on;  // not `line_ends`
};

// Words from one group to the next, by the place of the first.
struct Steps {
  std::int64_t group, last_group, line, frame;
};
Steps ahead(const MatrixPlan& plan);  // in the ring
// Bits of the words of a step, less a beat, or of none: with a sign.
std::uint32_t bits_of(const Steps& steps, std::int64_t beat);

// Where a group is, as far as the words to the next one depend on it. `moves` 0: no step at all.
struct Where {
  Net moves = ir::net_one, to_last = ir::net_zero, line_ends, frame_ends;
};
// The words to the next group, less `less`, as a number of `width` bits with a sign.
UInt words_of(Scope& s, const Steps& steps, const Where& where, std::int64_t less,
              std::uint32_t width);

// Whole beats in a sum of words: those that come with every word of `words`, which is less by a
// beat, and the words that were left over.
UInt whole_beats(Scope& s, const MatrixPlan& plan, const UInt& words, std::uint64_t start,
                 Net enable, Net reset);

Course build_course(Scope& s, const MatrixPlan& plan, Net moves, Net reset);

}  // namespace kumiki::gen::matrix
