// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/float_rule.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::gen::arith {
namespace {

std::int64_t narrow(Exact value) { return static_cast<std::int64_t>(value); }

Exact ceil_div(Exact a, Exact b) { return -floor_div(-a, b); }

// The lowest accumulator of a range with a result of at least `result`; one past the range when
// there is none.
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

// What the product must be at least for a result, less the offset.
Exact least_product(const IntegerRule& rule, Exact result) {
  const Exact wanted = result - rule.zero_point;
  const Exact whole = wanted * power_of_two(rule.shift);
  if (rule.rounding == Rounding::down || rule.shift == 0) return whole;
  // A tie below an odd number goes to the even one under it.
  return whole - power_of_two(rule.shift - 1) + ((wanted & 1) != 0 ? 1 : 0);
}

// From `at` on the result is at least `result`, below it is less.
struct Bound {
  Exact at, result;
  bool from_above = true, from_below = true;  // the ends of the range say one of the two
};

std::vector<Bound> bounds_of(const Steps& steps, const Interval& range) {
  std::vector<Bound> all;
  if (steps.first > range.lo) all.push_back({steps.reachable.lo, steps.first, true, false});
  Exact result = steps.first;
  for (const std::int64_t at : steps.begins) all.push_back({at, ++result});
  if (result < range.hi) all.push_back({steps.reachable.hi + 1, result + 1, false, true});
  return all;
}

// Of a rule that rounds half to even: the factors that every bound allows; empty where hi < lo.
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

// Of a rule that rounds down: the offsets that every bound allows with a factor; empty where hi <
// lo.
Interval offsets_of(const std::vector<Bound>& bounds, const IntegerRule& rule, Exact factor) {
  const Exact end = power_of_two(100);
  Interval all{-end, end};
  for (const Bound& b : bounds) {
    const Exact least = least_product(rule, b.result);
    if (b.from_above) all.lo = std::max(all.lo, least - b.at * factor);
    if (b.from_below) all.hi = std::min(all.hi, least - 1 - (b.at - 1) * factor);
  }
  return all;
}

// The factor with the most room for offsets: room is concave.
std::optional<IntegerRule> with_offset(const std::vector<Bound>& bounds, IntegerRule rule,
                                       Exact low, Exact high) {
  const auto room = [&](Exact factor) { return offsets_of(bounds, rule, factor).span(); };
  while (low < high) {
    const Exact middle = floor_div(low + high, 2);
    if (room(middle) >= room(middle + 1))
      high = middle;
    else
      low = middle + 1;
  }
  const Interval offsets = offsets_of(bounds, rule, low);
  if (offsets.lo > offsets.hi) return std::nullopt;
  rule.factor = narrow(low);
  // Half a result when it may be, or the nearest to it.
  const Exact half = rule.shift > 0 ? power_of_two(rule.shift - 1) : 0;
  rule.offset = narrow(std::clamp(half, offsets.lo, offsets.hi));
  return rule;
}

}  // namespace

void require_legal(const FloatRule& rule) {
  if (!(rule.scale > 0) || !std::isfinite(rule.scale))
    throw DesignError(Code::out_of_range,
                      fmt::format("a scale of {}: a finite number above 0 is legal", rule.scale));
  if (!rule.range.contains(rule.zero_point))
    throw DesignError(Code::out_of_range, fmt::format("a zero point of {}: {} is legal",
                                                      rule.zero_point, to_string(rule.range)));
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
    throw DesignError(Code::out_of_range, fmt::format("accumulators {}: some of 32 bits are legal",
                                                      to_string(reachable)));
  const auto result = [&](std::int64_t at) {
    return requantised(rule, static_cast<std::int32_t>(at));
  };
  Steps steps{.reachable = reachable, .first = result(narrow(reachable.lo)), .begins = {}};
  const std::int64_t last = result(narrow(reachable.hi));
  Interval rest = reachable;
  for (std::int64_t q = steps.first + 1; q <= last; ++q) {
    rest.lo = begin_of(result, rest, q);
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
  // Between the place where a result begins and the one where the rule begins it both differ;
  // elsewhere they are equal.
  Exact seen = steps.reachable.lo;
  const Exact end = steps.reachable.hi + 1;
  const auto low = std::min<Exact>(steps.first, given(narrow(steps.reachable.lo)));
  const auto high =
      std::max<Exact>(steps.at(narrow(steps.reachable.hi)), given(narrow(steps.reachable.hi)));
  const auto wanted = [&](std::int64_t at) { return steps.at(at); };
  for (Exact q = low + 1; q <= high && all.size() < most; ++q) {
    const Exact a = begin_of(wanted, steps.reachable, q), b = begin_of(given, steps.reachable, q);
    look(std::max(seen, std::min(a, b)), std::max(a, b));
    seen = std::max({seen, a, b});
    if (seen == end) break;
  }
  return all;
}

std::optional<IntegerRule> equal_rule(const FloatRule& rule, const Steps& steps,
                                      int most_factor_bits, int most_shift) {
  require_legal(rule);
  const auto bounds = bounds_of(steps, rule.range);
  for (int shift = 0; shift <= most_shift; ++shift) {
    const double exact = std::ldexp(static_cast<double>(rule.scale), shift);
    const Exact most = power_of_two(most_factor_bits) - 1;
    if (exact / 2 > static_cast<double>(narrow(most))) break;
    // Twice or half of it is no scale that is near.
    const Exact low = std::max<Exact>(1, static_cast<Exact>(std::floor(exact / 2)));
    const Exact high = std::min<Exact>(most, static_cast<Exact>(std::ceil(exact * 2)));
    if (low > high) continue;
    const IntegerRule form{.shift = shift,
                           .rounding = Rounding::down,
                           .zero_point = rule.zero_point,
                           .range = rule.range};
    if (auto found = with_offset(bounds, form, low, high)) return found;
    IntegerRule even = form;
    even.rounding = Rounding::half_even;
    if (const Interval factors = factors_of(bounds, even, most); factors.lo <= factors.hi) {
      even.factor =
          narrow(std::clamp(static_cast<Exact>(std::nearbyint(exact)), factors.lo, factors.hi));
      return even;
    }
  }
  return std::nullopt;
}

}  // namespace kumiki::gen::arith
