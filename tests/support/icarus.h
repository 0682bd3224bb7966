// SPDX-License-Identifier: Apache-2.0
// The written netlist under Icarus against the native simulator: every output bit of every cycle.
#pragma once
#include <gtest/gtest.h>

#include "ir/design.h"

namespace kumiki::tests {

// Random inputs from the seed; the top may have a clock or none.
testing::AssertionResult icarus_agrees(const ir::Design& design, std::uint64_t seed,
                                       unsigned cycles);

}  // namespace kumiki::tests
