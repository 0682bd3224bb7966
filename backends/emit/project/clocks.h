// SPDX-License-Identifier: Apache-2.0
// The clocks of a netlist as constraints for Vivado. Exceptions are what registers say of their
// crossings (ir::Crossing), and no others.
#pragma once
#include <string>

#include "ir/names.h"

namespace kumiki::backends {

// XDC that makes the clocks of the top: clk, and clk2x where there is one; "" without a clock. A
// period is a number or an expression of Tcl; every line begins with `indent`.
std::string create_clocks(const ir::Module& top, const std::string& period,
                          const std::string& fast_period, const std::string& indent = {});

// What clocks are called: by the names that create_clocks() gives, or whatever arrives at the top's
// ports.
enum class ClockNames { given, of_ports };

// XDC for registers whose data have two fast periods; "" when there are none. Cells by their paths
// below the top.
std::string clock_exceptions(const ir::Names& names, ClockNames clocks = ClockNames::given);

// Verilog of a module `<top>_clocks` that makes the pair from a clock of the board.
std::string clock_pair(const ir::Names& names, double fast_period);

}  // namespace kumiki::backends
