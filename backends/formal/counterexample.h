// SPDX-License-Identifier: Apache-2.0
// The values of the ports in a solution, clock by clock.
#pragma once
#include <optional>

#include "backends/formal/prove.h"
#include "backends/formal/unroll.h"

namespace kumiki::backends::proof {

// `inputs` are the inputs of the unrolled graph; `when` is the condition of every output bit.
Counterexample counterexample(const Unrolled& unrolled, const std::vector<bool>& inputs,
                              const std::vector<std::optional<std::size_t>>& when);

}  // namespace kumiki::backends::proof
