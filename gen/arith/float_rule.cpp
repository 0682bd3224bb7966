// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/float_rule.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::gen::arith {
namespace {

std::int64_t narrow(Exact value) { return static_cast<std::int64_t>(value); }

// The lowest accumulator of a range with a result of at least `result`; one past the range if there
// is none.
template <class Rule>
Exact begin_of(const Rule& rule, const Interval& within, Exact result) {
  Exact low = within.lo, high = within.hi + 1;
  while (low < high) {
    const Exact middle = floor_div(low + high, 2);
    if (rule(narrow(middle)) >= result)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// The smallest product for a result, minus the offset.
Exact least_product(const IntegerRule& rule, Exact result) {
  const Exact wanted = result - rule.zero_point;
  const Exact whole = wanted * power_of_two(rule.shift);
  if (rule.rounding == Rounding::down || rule.shift == 0) return whole;
  // A tie below an odd number goes to the even one below it.
  return whole - power_of_two(rule.shift - 1) + ((wanted & 1) != 0 ? 1 : 0);
}

// From `at` on the result is at least `result`; below `at` it is less.
struct Bound {
  Exact at, result;
  bool from_above = true, from_below = true;  // at the ends of the range only one applies
};

std::vector<Bound> bounds_of(const Steps& steps, const Interval& range) {
  std::vector<Bound> all;
  if (steps.first > range.lo) all.push_back({steps.reachable.lo, steps.first, true, false});
  Exact result = steps.first;
  for (const std::int64_t at : steps.begins) all.push_back({at, ++result});
  if (result < range.hi) all.push_back({steps.reachable.hi + 1, result + 1, false, true});
  return all;
}

// For a rule that rounds half to even: the factors that every bound allows; empty if hi < lo.
Interval factors_of(const std::vector<Bound>& bounds, const IntegerRule& rule, Exact most) {
  constexpr Interval none{1, 0};
  Exact low = 1, high = most;
  for (const Bound& b : bounds) {
    const Exact least = least_product(rule, b.result) - rule.offset;
    // at * factor >= least
    if (b.from_above) {
      if (b.at > 0) low = std::max(low, ceil_div(least, b.at));
      if (b.at < 0) high = std::min(high, floor_div(least, b.at));
      if (b.at == 0 && least > 0) return none;
    }
    // (at - 1) * factor < least
    if (b.from_below) {
      const Exact below = b.at - 1;
      if (below > 0) high = std::min(high, floor_div(least - 1, below));
      if (below < 0) low = std::max(low, ceil_div(least - 1, below));
      if (below == 0 && least <= 0) return none;
    }
    if (low > high) return none;
  }
  return {low, high};
}

// Bounds on at * slope + offset that no other bound dominates for any positive slope. These are the
// corners of a convex hull, few of hundreds.
struct Corner {
  std::int64_t at, wanted;
};
// The corners of the hull above ordered points (side 1) or below them (-1).
std::vector<Corner> corners(const std::vector<Corner>& points, std::int64_t side) {
  std::vector<Corner> hull;
  for (const Corner& p : points) {
    while (hull.size() >= 2) {
      const Corner &a = hull[hull.size() - 2], &b = hull.back();
      const std::int64_t turn =
          (b.at - a.at) * (p.wanted - a.wanted) - (b.wanted - a.wanted) * (p.at - a.at);
      if (side * turn < 0) break;
      hull.pop_back();
    }
    hull.push_back(p);
  }
  return hull;
}

// The constraints on factor and offset where results begin, for a rule that rounds down. All
// numbers fit 64 bits: sums have 32, factors 30, shifts are up to 48 and results have 14.
class Corners {
 public:
  Corners(const std::vector<Bound>& bounds, std::int64_t zero_point) {
    std::vector<Corner> above, below;
    for (const Bound& b : bounds) {
      const std::int64_t wanted = narrow(b.result) - zero_point, at = narrow(b.at);
      if (b.from_above) above.push_back({at, wanted});
      if (b.from_below) below.push_back({at - 1, wanted});
    }
    above_ = corners(above, 1);
    below_ = corners(below, -1);
  }

  // The offsets that every bound allows with a factor; empty if hi < lo.
  Interval offsets(std::int64_t factor, int shift) const {
    const std::int64_t end = std::int64_t{1} << 62, one = std::int64_t{1} << shift;
    std::int64_t lo = -end, hi = end;
    for (const Corner& c : above_) lo = std::max(lo, c.wanted * one - c.at * factor);
    for (const Corner& c : below_) hi = std::min(hi, c.wanted * one - 1 - c.at * factor);
    return {lo, hi};
  }

  // Whether a rule that rounds half to even may be equal, judged by its constraints apart from
  // ties.
  bool may_be_even(int shift) const {
    const std::int64_t one = std::int64_t{1} << shift, half = one / 2;
    std::int64_t low = 1, high = std::int64_t{1} << 62;
    // at * factor must be at least, or at most, `much`.
    const auto least = [&](std::int64_t at, Exact much) {
      if (at > 0) low = std::max(low, narrow(ceil_div(much, at)));
      if (at < 0) high = std::min(high, narrow(floor_div(much, at)));
      return low <= high && (at != 0 || much <= 0);
    };
    for (const Corner& c : above_)
      if (!least(c.at, c.wanted * one - half)) return false;
    for (const Corner& c : below_)
      if (!least(-c.at, half - c.wanted * one)) return false;
    return true;
  }

 private:
  std::vector<Corner> above_, below_;
};

// The factor with the most room for offsets, the smallest of equal ones: room is concave.
std::int64_t roomiest(const Corners& corners, int shift, std::int64_t low, std::int64_t high) {
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (corners.offsets(middle, shift).span() >= corners.offsets(middle + 1, shift).span())
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

void require_legal(const FloatRule& rule) {
  if (!(rule.scale > 0) || !std::isfinite(rule.scale))
    throw DesignError({.code = Code::out_of_range,
                       .wrong = fmt::format("a scale of {}", rule.scale),
                       .required = "the scale must be a finite number above 0"});
  if (!rule.range.contains(rule.zero_point))
    throw DesignError({.code = Code::out_of_range,
                       .wrong = fmt::format("a zero point of {}", rule.zero_point),
                       .required = "the zero point must be within " + to_string(rule.range)});
}

std::int64_t requantised(const FloatRule& rule, std::int32_t accumulator) {
  const auto zero = static_cast<float>(rule.zero_point);
  const float scaled = static_cast<float>(accumulator) * rule.scale;
  const float low = static_cast<float>(narrow(rule.range.lo)) - zero;
  const float high = static_cast<float>(narrow(rule.range.hi)) - zero;
  return static_cast<std::int64_t>(std::nearbyint(std::clamp(scaled, low, high))) + rule.zero_point;
}

std::int64_t requantised(const IntegerRule& rule, std::int64_t accumulator) {
  const Exact product = Exact{accumulator} * rule.factor + rule.offset;
  return narrow(std::clamp(rounded(product, rule.shift, rule.rounding) + rule.zero_point,
                           rule.range.lo, rule.range.hi));
}

std::string to_string(const IntegerRule& rule) {
  std::string text = fmt::format("acc * {}", rule.factor);
  if (rule.offset != 0)
    text = fmt::format("({} {} {})", text, rule.offset < 0 ? '-' : '+', std::abs(rule.offset));
  text += rule.rounding == Rounding::down
              ? fmt::format(" >> {}", rule.shift)
              : fmt::format(" / 2^{} {}", rule.shift, to_string(rule.rounding));
  return fmt::format("{}, {} {}, in {}", text, rule.zero_point < 0 ? '-' : '+',
                     std::abs(rule.zero_point), to_string(rule.range));
}

std::int64_t Steps::at(std::int64_t accumulator) const {
  return first + (std::ranges::upper_bound(begins, accumulator) - begins.begin());
}

Steps steps_of(const FloatRule& rule, const Interval& reachable) {
  require_legal(rule);
  if (reachable.lo > reachable.hi || !reachable.within(signed_range(32)))
    throw DesignError(
        Code::out_of_range,
        fmt::format("the accumulators are {}; they must be of 32 bits, and at least one",
                    to_string(reachable)));
  const auto result = [&](std::int64_t at) {
    return requantised(rule, static_cast<std::int32_t>(at));
  };
  Steps steps{.reachable = reachable, .first = result(narrow(reachable.lo)), .begins = {}};
  const std::int64_t last = result(narrow(reachable.hi));
  Interval rest = reachable;
  for (std::int64_t q = steps.first + 1; q <= last; ++q) {
    // Search near the place for real numbers first; otherwise search everywhere.
    const double real = (static_cast<double>(q - rule.zero_point) - 0.5) / rule.scale;
    Interval near = rest;
    if (std::abs(real) < 0x1p32) {
      const auto at = static_cast<std::int64_t>(std::floor(real));
      const Exact lo = std::max<Exact>(rest.lo, at - 2), hi = std::min<Exact>(rest.hi, at + 2);
      if (lo <= hi && (lo == rest.lo || result(narrow(lo - 1)) < q) && result(narrow(hi)) >= q)
        near = {lo, hi};
    }
    rest.lo = begin_of(result, near, q);
    steps.begins.push_back(narrow(rest.lo));
  }
  return steps;
}

std::vector<Difference> differences(const Steps& steps, const IntegerRule& rule, std::size_t most) {
  std::vector<Difference> all;
  const auto given = [&](std::int64_t at) { return requantised(rule, at); };
  const auto look = [&](Exact from, Exact to) {
    for (Exact at = from; at < to && all.size() < most; ++at) {
      const auto a = narrow(at);
      if (steps.at(a) != given(a)) all.push_back({a, steps.at(a), given(a)});
    }
  };
  // The two differ between the place where a result begins and the place where the rule begins it.
  // Elsewhere they are equal.
  Exact seen = steps.reachable.lo;
  const Exact end = steps.reachable.hi + 1;
  const std::int64_t first = given(narrow(steps.reachable.lo)),
                     last = given(narrow(steps.reachable.hi));
  const std::int64_t low = std::min(steps.first, first);
  const std::int64_t high = std::max(steps.at(narrow(steps.reachable.hi)), last);
  const auto begin = [&](std::int64_t q) -> Exact {
    if (q <= steps.first) return steps.reachable.lo;
    const auto i = static_cast<std::size_t>(q - steps.first - 1);
    return i < steps.begins.size() ? Exact{steps.begins[i]} : end;
  };
  for (std::int64_t q = low + 1; q <= high && all.size() < most; ++q) {
    const Exact a = begin(q), b = begin_of(given, steps.reachable, q);
    look(std::max(seen, std::min(a, b)), std::max(a, b));
    seen = std::max({seen, a, b});
    if (seen == end) break;
  }
  return all;
}

std::optional<IntegerRule> equal_rule(const FloatRule& rule, const Steps& steps,
                                      int most_factor_bits, int most_shift) {
  require_legal(rule);
  if (most_factor_bits < 1 || most_factor_bits > 30 || most_shift < 0 || most_shift > 48)
    throw DesignError(
        Code::out_of_range,
        fmt::format("factors have {} bits and shifts are up to {}; they must be at most 30 and 48",
                    most_factor_bits, most_shift));
  if (!(rule.range - rule.zero_point).within(signed_range(14))) return std::nullopt;
  const auto bounds = bounds_of(steps, rule.range);
  const Corners corners(bounds, rule.zero_point);
  const std::int64_t most = (std::int64_t{1} << most_factor_bits) - 1;
  for (int shift = 0; shift <= most_shift; ++shift) {
    const double exact = std::ldexp(static_cast<double>(rule.scale), shift);
    if (exact / 2 > static_cast<double>(most)) break;
    // A factor of twice or half the scale is no longer near.
    const auto low = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(exact / 2)));
    const auto high = std::min(most, static_cast<std::int64_t>(std::ceil(exact * 2)));
    if (low > high) continue;
    IntegerRule form{.shift = shift,
                     .rounding = Rounding::down,
                     .zero_point = rule.zero_point,
                     .range = rule.range};
    form.factor = roomiest(corners, shift, low, high);
    if (const Interval offsets = corners.offsets(form.factor, shift); offsets.lo <= offsets.hi) {
      // Half a result if possible, otherwise the nearest to it.
      const Exact half = shift > 0 ? power_of_two(shift - 1) : 0;
      form.offset = narrow(std::clamp(half, offsets.lo, offsets.hi));
      return form;
    }
    if (!corners.may_be_even(shift)) continue;
    form.rounding = Rounding::half_even;
    if (const Interval factors = factors_of(bounds, form, most); factors.lo <= factors.hi) {
      form.factor =
          narrow(std::clamp(static_cast<Exact>(std::nearbyint(exact)), factors.lo, factors.hi));
      return form;
    }
  }
  return std::nullopt;
}

}  // namespace kumiki::gen::arith
