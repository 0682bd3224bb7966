// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/steps.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::gen::arith {

Steps steps_of(const std::function<std::int64_t(std::int64_t)>& rule, const Interval& reachable) {
  constexpr std::int64_t most = 1 << 18;
  if (reachable.lo > reachable.hi)
    throw DesignError(Code::out_of_range,
                      fmt::format("the range of accumulators {} is empty; give at least one",
                                  to_string(reachable)));
  const auto lowest = static_cast<std::int64_t>(reachable.lo);
  const auto highest = static_cast<std::int64_t>(reachable.hi);
  Steps steps{.reachable = reachable, .first = rule(lowest), .begins = {}};
  const std::int64_t last = rule(highest);
  if (Exact{last} - steps.first > most)
    throw DesignError(Code::out_of_range,
                      fmt::format("the rule has {} results; it must have at most {}",
                                  to_string(Exact{last} - steps.first + 1), most + 1));
  std::int64_t from = lowest;
  for (std::int64_t q = steps.first + 1; q <= last; ++q) {
    std::int64_t low = from, high = highest;
    while (low < high) {
      const auto middle = static_cast<std::int64_t>(floor_div(Exact{low} + high, 2));
      if (rule(middle) >= q)
        high = middle;
      else
        low = middle + 1;
    }
    steps.begins.push_back(from = low);
  }
  return steps;
}

std::vector<Apart> apart(const Steps& wanted, const Steps& given) {
  if (wanted.reachable != given.reachable)
    throw DesignError(Code::out_of_range,
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
