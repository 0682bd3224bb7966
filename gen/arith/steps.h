// SPDX-License-Identifier: Apache-2.0
// Rules from accumulators to numbers that never fall: where their results begin says all of them,
// so comparing that compares them at every accumulator, however many there are.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "gen/arith/float_rule.h"

namespace kumiki::gen::arith {

// `rule` must not fall over `reachable`, and have at most 2^18 results there (DesignError).
Steps steps_of(const std::function<std::int64_t(std::int64_t)>& rule, const Interval& reachable);

// Accumulators in a row at which two rules have other results, each its own.
struct Apart {
  Interval accumulators;
  std::int64_t wanted, given;
  friend bool operator==(const Apart&, const Apart&) = default;
};
// Both over the same accumulators. None: equal at each of them.
std::vector<Apart> apart(const Steps& wanted, const Steps& given);
Exact count(const std::vector<Apart>& all);  // of the accumulators

}  // namespace kumiki::gen::arith
