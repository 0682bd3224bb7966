// SPDX-License-Identifier: Apache-2.0
// Converts Verilog to a circuit of gates and registers, with Yosys.
#pragma once
#include <vector>

#include "backends/emit/verilog_netlist.h"
#include "backends/formal/aig.h"

namespace kumiki::backends::proof {

// The internal nets to keep.
struct Inside {
  bool narrow = false;     // shrinks words to the bits they need; names may not rely on widths
  bool additions = false;  // of plain Verilog: the bits and carries of additions
  std::vector<std::string> words = {};  // of the top module, as "sum.NAME"
  bool pins = false;  // of a netlist: the pins of LUTs and carry chains, "INSTANCE.PIN"
};

// ToolError if Yosys is missing or reports an error, TimeIsUp if it takes longer than `seconds`.
Circuit circuit_of(const std::vector<VerilogSource>& sources, const std::string& top,
                   unsigned seconds, const Inside& inside = {});
// The netlist of a design with our models of its primitives.
Circuit circuit_of(const ir::Design& design, unsigned seconds, const Inside& inside = {});

}  // namespace kumiki::backends::proof
