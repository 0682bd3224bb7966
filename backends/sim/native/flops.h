// SPDX-License-Identifier: Apache-2.0
// Flip-flops are most of the state. They are laid out so that the clock moves them in bulk.
#pragma once
#include <cstdint>
#include <vector>

#include "backends/sim/native/lower.h"
#include "backends/sim/native/program.h"

namespace kumiki::backends::native {

// Assigns a slot to every register and writes the runs of the clock. `slot` (of every value)
// already has the slots of all other values.
void place_flops(const Lowered& all, std::vector<std::uint32_t>& slot, Program& program);

}  // namespace kumiki::backends::native
