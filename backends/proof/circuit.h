// SPDX-License-Identifier: Apache-2.0
// Verilog to a circuit of gates and registers, by Yosys.
#pragma once
#include <vector>

#include "backends/proof/aig.h"
#include "backends/verilog_netlist.h"

namespace kumiki::backends::proof {

// ToolError when Yosys is missing, complains, or takes longer than `seconds`.
Circuit circuit_of(const std::vector<VerilogSource>& sources, const std::string& top,
                   unsigned seconds);
// The netlist of a design with our models of its primitives.
Circuit circuit_of(const ir::Design& design, unsigned seconds);

}  // namespace kumiki::backends::proof
