// SPDX-License-Identifier: Apache-2.0
// A netlist of two clocks as a circuit of one: the fast clock, with an enable for what stands on
// the slow one, and then two steps of that as one.
#pragma once
#include <memory>

#include "backends/formal/aig.h"
#include "ir/design.h"

namespace kumiki::backends::proof {

// The half of a clock in which a step ends is an input of this name: 0, then 1.
inline constexpr const char* half_port = "kumiki_half";

// The design flat, everything on clk: what was on clk itself moves only where `half_port` is 1.
std::unique_ptr<ir::Design> on_one_clock(const ir::Design& design);

// Two steps as one, with the inputs of both alike and the outputs of the second. Registers that
// hold the same from power-up on are one, those that no output depends on are left out: of the
// phase registers nothing remains.
Circuit two_steps(const Circuit& circuit);

}  // namespace kumiki::backends::proof
