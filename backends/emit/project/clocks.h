// SPDX-License-Identifier: Apache-2.0
// The clocks of a netlist as constraints for Vivado. The only exceptions are the crossings that
// registers declare (ir::Crossing).
#pragma once
#include <string>

#include "ir/names.h"

namespace kumiki::backends {

// XDC that makes the clocks of the top: clk, and clk2x if there is one; "" without a clock. A
// period is a number or a Tcl expression; every line begins with `indent`.
std::string create_clocks(const ir::Module& top, const std::string& period,
                          const std::string& fast_period, const std::string& indent = {});

// The names of the clocks: those that create_clocks() gives, or any clocks that arrive at the top's
// ports.
enum class ClockNames { given, of_ports };

// XDC for registers whose data have two fast periods; "" if there are none. Names cells by their
// paths below the top.
std::string clock_exceptions(const ir::Names& names, ClockNames clocks = ClockNames::given);

// Verilog of a module `<top>_clocks` that makes the clock pair from a clock of the board.
std::string clock_pair(const ir::Names& names, double fast_period);

}  // namespace kumiki::backends
