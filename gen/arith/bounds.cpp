// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/bounds.h"

#include <algorithm>

namespace kumiki::gen::arith {
namespace {

// The corners of the hull above ordered points (side 1) or below them (-1).
std::vector<Bounds::At> corners(const std::vector<Bounds::At>& points, std::int64_t side) {
  std::vector<Bounds::At> hull;
  for (const Bounds::At& p : points) {
    while (hull.size() >= 2) {
      const Bounds::At &a = hull[hull.size() - 2], &b = hull.back();
      const Exact turn = Exact{b.accumulator - a.accumulator} * (p.result - a.result) -
                         Exact{b.result - a.result} * (p.accumulator - a.accumulator);
      if (side * turn < 0) break;
      hull.pop_back();
    }
    hull.push_back(p);
  }
  return hull;
}

// The bounds of the accumulators `own`. A result that is reached before them is reached there, and
// one that must not be reached behind them must not be reached there.
Bounds bounds_within(const Steps& steps, const Interval& range, const Interval& own,
                     const Map& places = {}) {
  const auto place = [&](std::int64_t result) { return places ? places(result) : result; };
  if (own.lo > own.hi) return {};
  const std::int64_t lowest = as_word(steps.reachable.lo), highest = as_word(steps.reachable.hi);
  std::vector<Bounds::At> least, below;
  const auto at_least = [&](std::int64_t at, std::int64_t result) {
    if (at <= own.hi) least.push_back({std::max(at, as_word(own.lo)), place(result)});
  };
  const auto less = [&](std::int64_t at, std::int64_t result) {
    if (at >= own.lo) below.push_back({std::min(at, as_word(own.hi)), place(result)});
  };
  std::int64_t result = steps.first;
  if (result > range.lo) at_least(lowest, result);
  for (const std::int64_t begin : steps.begins) {
    at_least(begin, ++result);
    less(begin - 1, result);
  }
  if (result < range.hi) less(highest, result + 1);
  return {.least = corners(least, 1), .below = corners(below, -1)};
}

}  // namespace

Interval Bounds::offsets(Exact factor, int shift) const {
  const Exact end = power_of_two(100), unit = power_of_two(shift);
  Interval all{-end, end};
  for (const At& b : least) all.lo = std::max(all.lo, b.result * unit - b.accumulator * factor);
  for (const At& b : below) all.hi = std::min(all.hi, b.result * unit - 1 - b.accumulator * factor);
  return all;
}

Bounds bounds_of(const Steps& steps, const Interval& range, const Map& places) {
  return bounds_within(steps, range, steps.reachable, places);
}

BoundsOfSides sides_of(const Steps& steps, const Interval& range) {
  const Interval& all = steps.reachable;
  return {.negative = bounds_within(steps, range, {all.lo, std::min<Exact>(all.hi, -1)}),
          .other = bounds_within(steps, range, {std::max<Exact>(all.lo, 0), all.hi})};
}

}  // namespace kumiki::gen::arith
