// SPDX-License-Identifier: Apache-2.0
// Checks whether the output of a circuit is 0 in every clock from power-up. ABC looks for clauses
// about registers that hold at power-up, are inductive, and exclude a 1: property directed
// reachability.
#pragma once
#include "backends/formal/solve.h"

namespace kumiki::backends::proof {

// `never`: the output is 0 in runs of any length. `sometimes`: it is 1 in the last clock of
// `inputs`.
Solution reach(const Circuit& circuit, unsigned seconds);

}  // namespace kumiki::backends::proof
