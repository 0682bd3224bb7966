// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/lines.h"

#include <algorithm>
#include <cmath>

#include "gen/arith/peak.h"

namespace kumiki::gen::arith {
namespace {

Exact size(const Interval& i) { return std::max(-i.lo, i.hi); }

// Larger offsets make no difference.
Exact most_offset(const Steps& steps, const Interval& range, Exact factor, int shift) {
  return size(steps.reachable) * factor + (size(range) + 2) * power_of_two(shift);
}

// Offsets for which the line reaches each result where it begins, and not before. Empty: lo > hi.
Interval offsets_of(const Steps& steps, const Interval& range, Exact factor, int shift) {
  const Exact unit = power_of_two(shift);
  const Exact last = steps.first + std::ssize(steps.begins);
  const Exact far = most_offset(steps, range, factor, shift);
  Interval all{-far, far};
  const auto at_least = [&](Exact acc, Exact result) {
    all.lo = std::max(all.lo, result * unit - acc * factor);
  };
  const auto at_most = [&](Exact acc, Exact result) {
    all.hi = std::min(all.hi, (result + 1) * unit - 1 - acc * factor);
  };
  // A clamped result allows any value beyond it.
  if (steps.first > range.lo) at_least(steps.reachable.lo, steps.first);
  if (last < range.hi) at_most(steps.reachable.hi, last);
  for (std::size_t i = 0; i < steps.begins.size(); ++i) {
    const Exact result = Exact{steps.first} + 1 + static_cast<Exact>(i);
    at_least(steps.begins[i], result);
    at_most(Exact{steps.begins[i]} - 1, result - 1);
  }
  return all;
}

// factor / 2^shift, the factor odd.
struct ExactScale {
  Exact factor = 1;
  int shift = 0;
};
ExactScale exact_scale(float scale) {
  constexpr int mantissa = 24;
  int exponent = 0;
  ExactScale e{static_cast<Exact>(std::ldexp(std::frexp(scale, &exponent), mantissa)), 0};
  e.shift = mantissa - exponent;
  for (; e.factor % 2 == 0; e.factor /= 2) --e.shift;
  return e;
}

constexpr int most_exact_shift = 90, most_bits_of_sum = 60;

}  // namespace

std::vector<Line> lines_of(const Steps& steps, double scale, const Interval& range, int most_bits,
                           std::size_t most) {
  std::vector<Line> all;
  const auto most_factor = static_cast<double>(power_of_two(most_bits) - 1);
  for (int shift = 0; all.size() < most; ++shift) {
    const double exact = std::ldexp(scale, shift);
    if (exact > most_factor) break;
    const auto room = [&](Exact factor) { return offsets_of(steps, range, factor, shift).span(); };
    // The room is concave in the factor: take the factor with the most room, then its neighbours.
    const Exact low = std::max<Exact>(1, static_cast<Exact>(std::floor(exact / 2)));
    const Exact high = static_cast<Exact>(std::ceil(exact * 2));
    if (most_offset(steps, range, high, shift) > power_of_two(most_bits_of_sum)) break;
    const Exact best = peak(low, high, room);
    const auto add = [&](Exact factor) {
      const Interval offsets = offsets_of(steps, range, factor, shift);
      if (offsets.lo > offsets.hi) return false;
      if (factor % 2 != 0 && all.size() < most)
        all.push_back({static_cast<std::int64_t>(factor), shift, offsets});
      return true;
    };
    if (!add(best)) continue;
    for (const int step : {1, -1})
      for (Exact factor = best + step; factor > 0 && all.size() < most && add(factor);)
        factor += step;
  }
  return all;
}

std::optional<Straight> straightened(const Steps& steps, float scale, std::int64_t lacks,
                                     std::int64_t zero_point, std::size_t most) {
  const ExactScale exact = exact_scale(scale);
  const auto factor = exact.factor;
  const auto shift = exact.shift;
  if (shift < 1 || shift > most_exact_shift) return {};
  const Exact unit = power_of_two(shift);
  const auto line = [&](Exact acc) {
    return floor_div((acc + lacks) * factor + power_of_two(shift - 1), unit) + zero_point;
  };
  Straight straight{.steps = steps, .exceptions = {}};
  for (std::size_t i = 0; i < steps.begins.size(); ++i) {
    const Exact result = Exact{steps.first} + 1 + static_cast<Exact>(i);
    std::int64_t& begin = straight.steps.begins[i];
    const std::int64_t begins = begin;
    if (line(begins) < result) {
      straight.exceptions[begins] = steps.at(begins);
      begin = begins + 1;
      if (line(begin) < result) return {};
    } else if (begins > steps.reachable.lo && line(Exact{begins} - 1) >= result) {
      begin = begins - 1;
      straight.exceptions[begin] = steps.at(begin);
      if (begin > steps.reachable.lo && line(Exact{begin} - 1) >= result) return {};
    }
  }
  if (straight.exceptions.size() > most) return {};
  return straight;
}

std::optional<SlicedRule> tied(const Steps& steps, float scale, std::int64_t lacks,
                               std::int64_t zero_point, const Interval& range) {
  constexpr int most_tied_shift = 30;
  const auto [factor, shift] = exact_scale(scale);
  if (shift < 1 || shift > most_tied_shift) return {};
  SlicedRule rule = even_rule(factor, shift, zero_point, range);
  rule.offset = rule.offset_below = rule.offset + static_cast<std::int64_t>(factor * lacks);
  if (!is_equal(steps, rule)) return {};
  return rule;
}

}  // namespace kumiki::gen::arith
