// SPDX-License-Identifier: Apache-2.0
// Integer lines that begin their results where a rule does: a product, a constant and a shift that
// are equal to it at every accumulator. Of those with short factors all, so that somebody may take
// the one whose factor is cheapest to multiply with.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "gen/arith/channel_rule.h"
#include "gen/arith/steps.h"

namespace kumiki::gen::arith {

// clamp((acc * factor + offset) >> shift) for any offset of the interval.
struct Line {
  std::int64_t factor = 1;
  int shift = 0;
  Interval offsets;
  friend bool operator==(const Line&, const Line&) = default;
};

// Products and offsets have 61 bits at most. Of a map that is about scale * accumulator +
// something, clamped to `range`. Odd factors of at most `most_bits` bits, from the shortest shift
// on that has one; `most` of them, nearest to the scale of each shift first. None: no such line is
// equal, as when ties go to the even neighbour.
std::vector<Line> lines_of(const Steps& steps, double scale, const Interval& range, int most_bits,
                           std::size_t most);

// A rule of float32 rounds its product before it rounds the result: at a few accumulators that are
// next to a tie it is one away from the line of its scale, round(scale * (acc + lacks)) + zero
// point. These as exceptions with their results, and where the others begin, which a line can have.
struct Straight {
  Steps steps;
  std::map<std::int64_t, std::int64_t> exceptions;
};
// Nothing: a result begins further away, or there are more exceptions than `most`.
std::optional<Straight> straightened(const Steps& steps, float scale, std::int64_t lacks,
                                     std::int64_t zero_point, std::size_t most);

// The line of a short scale with its ties to the even neighbour, for accumulators as `steps` has
// them: round(scale * (acc + lacks)) + zero point. Nothing: it is not equal.
std::optional<SlicedRule> tied(const Steps& steps, float scale, std::int64_t lacks,
                               std::int64_t zero_point, const Interval& range);

}  // namespace kumiki::gen::arith
