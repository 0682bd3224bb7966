// SPDX-License-Identifier: Apache-2.0
// The binary form of AIGER, which ABC reads and writes. It has no names.
#pragma once
#include "backends/formal/aig.h"

namespace kumiki::backends::proof {

std::string write_aiger(const Circuit& circuit);
std::string write_aiger(const Aig& aig, Literal output);

// Reads a circuit with the ports of another one; registers are 0 at power-up. ToolError if the text
// is not a circuit or has other ports.
Circuit read_aiger(std::string_view aig, const Circuit& with_ports_of);

}  // namespace kumiki::backends::proof
