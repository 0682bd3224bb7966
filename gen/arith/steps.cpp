// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/steps.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::gen::arith {

std::int64_t Steps::at(std::int64_t accumulator) const {
  return first + (std::ranges::upper_bound(begins, accumulator) - begins.begin());
}

Steps steps_of(const Map& rule, const Interval& reachable,
               const std::function<double(std::int64_t)>& about) {
  constexpr std::int64_t most = 1 << 18;
  if (reachable.lo > reachable.hi)
    throw DesignError(code::out_of_range,
                      fmt::format("the range of accumulators {} is empty; give at least one",
                                  to_string(reachable)));
  const std::int64_t highest = as_word(reachable.hi);
  std::int64_t from = as_word(reachable.lo);
  Steps steps{.reachable = reachable, .first = rule(from), .begins = {}};
  const std::int64_t last = rule(highest);
  if (!about && Exact{last} - steps.first > most)
    throw DesignError(code::out_of_range,
                      fmt::format("the rule has {} results; it must have at most {}",
                                  to_string(Exact{last} - steps.first + 1), most + 1));
  for (std::int64_t q = steps.first + 1; q <= last; ++q) {
    std::int64_t low = from, high = highest;
    // Search near the given place first; otherwise search everywhere.
    if (const double near = about ? std::floor(about(q)) : HUGE_VAL; std::abs(near) < 0x1p32) {
      const std::int64_t lo = std::max(low, static_cast<std::int64_t>(near) - 2),
                         hi = std::min(high, static_cast<std::int64_t>(near) + 2);
      if (lo <= hi && (lo == low || rule(lo - 1) < q) && rule(hi) >= q) low = lo, high = hi;
    }
    while (low < high) {
      const auto middle = as_word(floor_div(Exact{low} + high, 2));
      if (rule(middle) >= q)
        high = middle;
      else
        low = middle + 1;
    }
    steps.begins.push_back(from = low);
  }
  return steps;
}

Steps moved(Steps steps, std::int64_t added) {
  steps.reachable = steps.reachable + Exact{added};
  for (std::int64_t& begin : steps.begins) begin += added;
  return steps;
}

std::optional<Steps> every(const Steps& steps, int bits, std::int64_t low) {
  const Exact stride = power_of_two(bits);
  const auto above = [&](Exact accumulator) { return ceil_div(accumulator - low, stride); };
  Steps some{.reachable = {above(steps.reachable.lo), floor_div(steps.reachable.hi - low, stride)},
             .first = 0,
             .begins = {}};
  if (some.reachable.lo > some.reachable.hi) return std::nullopt;
  const auto result = [&](Exact h) { return steps.at(as_word(h * stride + low)); };
  some.first = result(some.reachable.lo);
  for (std::int64_t q = some.first + 1; q <= result(some.reachable.hi); ++q)
    some.begins.push_back(
        as_word(above(steps.begins[static_cast<std::size_t>(q - steps.first - 1)])));
  return some;
}

std::optional<Difference> difference(const Steps& wanted, const Map& rule) {
  std::optional<Difference> found;
  const auto differs = [&](std::int64_t at) {
    const std::int64_t right = wanted.at(at), given = rule(at);
    if (right != given) found = Difference{at, right, given};
    return found.has_value();
  };
  // Between two beginnings the wanted result does not change. A rule that has it at both ends has
  // it everywhere between.
  if (differs(as_word(wanted.reachable.lo)) || differs(as_word(wanted.reachable.hi))) return found;
  for (const std::int64_t begin : wanted.begins)
    if (differs(begin - 1) || differs(begin)) return found;
  return std::nullopt;
}

std::vector<Apart> apart(const Steps& wanted, const Steps& given) {
  if (wanted.reachable != given.reachable)
    throw DesignError(code::out_of_range,
                      fmt::format("the rules are over {} and {}; give both the same accumulators",
                                  to_string(wanted.reachable), to_string(given.reachable)));
  std::vector<std::int64_t> cuts{static_cast<std::int64_t>(wanted.reachable.lo)};
  std::ranges::set_union(wanted.begins, given.begins, std::back_inserter(cuts));
  cuts.push_back(static_cast<std::int64_t>(wanted.reachable.hi) + 1);
  std::vector<Apart> all;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (cuts[i] == cuts[i + 1]) continue;  // unreached results begin with the next one
    const std::int64_t a = wanted.at(cuts[i]), b = given.at(cuts[i]);
    if (a != b) all.push_back({{cuts[i], cuts[i + 1] - 1}, a, b});
  }
  return all;
}

Exact count(const std::vector<Apart>& all) {
  Exact n = 0;
  for (const Apart& a : all) n += a.accumulators.span() + 1;
  return n;
}

}  // namespace kumiki::gen::arith
