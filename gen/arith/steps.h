// SPDX-License-Identifier: Apache-2.0
// Monotone rules from accumulators to numbers. The places where results begin define such a rule,
// so comparing these places compares the rules at every accumulator, however many there are.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gen/arith/interval.h"

namespace kumiki::gen::arith {

// A number that fits 64 bits.
constexpr std::int64_t as_word(Exact value) { return static_cast<std::int64_t>(value); }

// `first` is the result of the lowest reachable accumulator. begins[i] is the lowest accumulator
// with a result of at least first + 1 + i. Results that are never reached begin where the next one
// does.
struct Steps {
  Interval reachable;
  std::int64_t first = 0;
  std::vector<std::int64_t> begins;
  std::int64_t at(std::int64_t accumulator) const;
  friend bool operator==(const Steps&, const Steps&) = default;
};

using Map = std::function<std::int64_t(std::int64_t)>;
// `rule` must not fall over `reachable`. `about` tells roughly where a result begins, which makes
// the search fast; without it there may be at most 2^18 results (DesignError).
Steps steps_of(const Map& rule, const Interval& reachable,
               const std::function<double(std::int64_t)>& about = {});
// The steps of accumulators to each of which `added` was added.
Steps moved(Steps steps, std::int64_t added);

// The steps of the accumulators h * 2^bits + low, as a function of h. Empty: none is reachable.
std::optional<Steps> every(const Steps& steps, int bits, std::int64_t low);

// An accumulator at which a rule gives another result.
struct Difference {
  std::int64_t accumulator, wanted, given;
  friend bool operator==(const Difference&, const Difference&) = default;
};
// The proof that a rule, which does not fall, has these steps. Empty: it is equal at every
// reachable accumulator.
std::optional<Difference> difference(const Steps& wanted, const Map& rule);

// Consecutive accumulators at which two rules have different results, each a constant one.
struct Apart {
  Interval accumulators;
  std::int64_t wanted, given;
  friend bool operator==(const Apart&, const Apart&) = default;
};
// Both must cover the same accumulators. Empty: equal at each of them.
std::vector<Apart> apart(const Steps& wanted, const Steps& given);
Exact count(const std::vector<Apart>& all);  // of the accumulators

}  // namespace kumiki::gen::arith
