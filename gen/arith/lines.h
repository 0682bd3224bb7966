// SPDX-License-Identifier: Apache-2.0
// Integer lines that begin their results where a rule does: a product, a constant and a shift that
// equal the rule at every accumulator. All lines with short factors are listed, so that a caller
// may take the factor that is cheapest to multiply by.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "gen/arith/steps.h"

namespace kumiki::gen::arith {

// clamp((acc * factor + offset) >> shift) for any offset of the interval.
struct Line {
  std::int64_t factor = 1;
  int shift = 0;
  Interval offsets;
  friend bool operator==(const Line&, const Line&) = default;
};

// Lines for a map that is about scale * accumulator + something, clamped to `range`. Products and
// offsets have at most 61 bits. Lists `most` odd factors of at most `most_bits` bits, from the
// shortest possible shift on; for each shift the nearest to the scale come first. Empty: no such
// line is equal, for example because ties go to the even neighbour.
std::vector<Line> lines_of(const Steps& steps, double scale, const Interval& range, int most_bits,
                           std::size_t most);

// A rule of float32 rounds its product before it rounds the result. So at a few accumulators next
// to a tie it is one away from the line of its scale, round(scale * acc) + zero point.
// `exceptions` has these with their results. `steps` has the beginnings without them, which a line
// can have.
struct Straight {
  Steps steps;
  std::map<std::int64_t, std::int64_t> exceptions;
};
// Empty: a result begins further away, or there are more than `most` exceptions.
std::optional<Straight> straightened(const Steps& steps, float scale, std::int64_t zero_point,
                                     std::size_t most);

}  // namespace kumiki::gen::arith
