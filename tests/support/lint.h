// SPDX-License-Identifier: Apache-2.0
// Gives the Verilog of a design to every tool that has to read it: none may print anything.
#pragma once
#include <gtest/gtest.h>

#include "ir/design.h"

namespace kumiki::tests {

// Verilator --lint-only -Wall with the documented waivers, Icarus -g2005 -Wall, Yosys
// read_verilog; hierarchy -check; check -assert: all with the primitive models beside the netlist.
testing::AssertionResult lint_everywhere(const ir::Design& design);

}  // namespace kumiki::tests
