// SPDX-License-Identifier: Apache-2.0
// Converts a netlist of two clocks to a circuit of one clock. First everything moves to the fast
// clock, with an enable for registers on the slow one. Then two steps become one.
#pragma once
#include <memory>

#include "backends/formal/aig.h"
#include "ir/design.h"

namespace kumiki::backends::proof {

// An input of this name gives the half of a clock in which a step ends: 0, then 1.
inline constexpr const char* half_port = "kumiki_half";

// The design, flat and entirely on clk: registers formerly on clk move only if `half_port` is 1.
std::unique_ptr<ir::Design> on_one_clock(const ir::Design& design);

// Joins two steps into one, with the same inputs in both and the outputs of the second. Registers
// with equal values from power-up on become one. Registers on which no output depends are removed.
// So no phase register remains.
Circuit two_steps(const Circuit& circuit);

}  // namespace kumiki::backends::proof
