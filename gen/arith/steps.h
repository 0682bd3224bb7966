// SPDX-License-Identifier: Apache-2.0
// Monotone rules from accumulators to numbers. The places where results begin define such a rule,
// so comparing these places compares the rules at every accumulator, however many there are.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "gen/arith/float_rule.h"

namespace kumiki::gen::arith {

// `rule` must not fall over `reachable`, and has at most 2^18 results there (DesignError).
Steps steps_of(const std::function<std::int64_t(std::int64_t)>& rule, const Interval& reachable);

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
