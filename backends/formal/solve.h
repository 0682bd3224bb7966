// SPDX-License-Identifier: Apache-2.0
// Checks whether one of these literals can be 1: random cases, sweeping, then SAT by ABC, which
// comes with Yosys.
#pragma once
#include <functional>
#include <optional>

#include "backends/formal/aig.h"
#include "backends/formal/sweep.h"

namespace kumiki::backends::proof {

enum class Answer { never, sometimes, unknown };
struct Solution {
  Answer answer = Answer::unknown;
  std::vector<bool> inputs;  // of the graph; they make one of the literals 1
};

// In random cases input i is 1 in `chance[i]` of 16; empty: in 8 for all inputs.
Solution solve(const Aig& aig, const std::vector<Literal>& literals,
               const std::vector<unsigned>& chance, Clock::time_point deadline);

// Without random cases.
Solution decide(const Aig& aig, const std::vector<Literal>& literals, Clock::time_point deadline);

unsigned seconds_until(Clock::time_point deadline);  // rounded down

// Tries random cases only.
Solution sample(const Aig& aig, const std::vector<Literal>& literals,
                const std::vector<unsigned>& chance, Clock::time_point deadline);

}  // namespace kumiki::backends::proof
